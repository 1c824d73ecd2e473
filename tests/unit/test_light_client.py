"""`pip install windtunnel` without extras is the client: it imports no library of the server."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

from tests.conftest import ROOT

_MODULE_OF = {
    "common-expression-language": "cel",
    "prometheus-client": "prometheus_client",
    "psycopg[binary]": "psycopg",
    "celery[redis]": "celery",
}

IMPORT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
import {module}
"""


def libraries(extra: str) -> set[str]:
    """The modules of an extra's own libraries."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[<>=]", each)[0] for each in project["optional-dependencies"][extra]]
    return {_MODULE_OF.get(name, name.replace("-", "_")) for name in names}


@pytest.mark.parametrize(
    ("module", "extras"),
    [
        ("windtunnel.cli.main", ("server", "notebook", "plot")),
        ("windtunnel.client.session", ("server", "notebook", "plot")),
        ("windtunnel.plot.drawing", ("server",)),
    ],
)
def test_it_is_imported_without(module: str, extras: tuple[str, ...]) -> None:
    missing = set().union(*map(libraries, extras))
    assert missing >= {"sqlalchemy", "cel", "scipy", "pyarrow", "fastapi"}
    if "plot" not in extras:
        missing -= {"numpy"}  # which matplotlib brings
    code = IMPORT.format(missing=missing, module=module)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
