"""The pages' files, compressed if the browser accepts it, and the paths that pages have."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import Scope

# The routes of web/src/router.tsx; every other path is answered with status 404.
_PAGES = re.compile(
    r"|(campaigns(/[^/]+(/(comparison|runs|file))?)?|runs/[^/]+"
    r"|new|compare|catalogue|tokens|system)/?"
)
# Names of assets contain a hash of their content.
_FOREVER = "public, max-age=31536000, immutable"
_GZIP = re.compile(r"(^|[,\s])(gzip|\*)\s*(;\s*q=(0\.0*[1-9]\d*|1(\.0*)?)\s*)?(,|$)", re.IGNORECASE)


def serve_pages(app: FastAPI, folder: Path) -> None:
    """Serve the web application: its files, and its index page at every non-API path."""
    register_url_convertor("page", _PagePath())
    app.mount("/assets", _Assets(directory=folder / "assets"), name="assets")
    # A path of a request is looked up among these, and never becomes one of the file system.
    files = {
        file.name: file for file in folder.iterdir() if file.is_file() and file.suffix != ".gz"
    }

    @app.get("/{path:page}", include_in_schema=False)
    def page(path: str, request: Request) -> Response:
        if path in files and path != "index.html":
            return _file(files[path], request)
        response = _file(files["index.html"], request)
        response.headers["Cache-Control"] = "no-cache"
        if path != "index.html" and not _PAGES.fullmatch(path):
            response.status_code = 404  # the page says so
        return response


class _PagePath(Convertor[str]):
    """Every path but those of the API, whose errors must not be a page's."""

    regex = "(?!api(?:/|$)).*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


class _Assets(StaticFiles):
    """Files that never change under their names."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await self._compressed(path, scope) or await super().get_response(path, scope)
        response.headers["Cache-Control"] = _FOREVER
        response.headers["Vary"] = "Accept-Encoding"
        return response

    async def _compressed(self, path: str, scope: Scope) -> Response | None:
        """The file PATH.gz, if there is one and the browser accepts it."""
        if not _accepts_gzip(HTTPConnection(scope)):
            return None
        try:
            response = await super().get_response(f"{path}.gz", scope)
        except HTTPException:
            return None
        response.headers["Content-Encoding"] = "gzip"
        return response


def _file(path: Path, request: Request) -> Response:
    compressed = path.with_name(f"{path.name}.gz")
    headers = {"Vary": "Accept-Encoding"}
    if _accepts_gzip(request) and compressed.is_file():
        headers["Content-Encoding"] = "gzip"
        return FileResponse(compressed, headers=headers)  # its type is that of the name before .gz
    return FileResponse(path, headers=headers)


def _accepts_gzip(connection: HTTPConnection) -> bool:
    return bool(_GZIP.search(connection.headers.get("accept-encoding", "")))
