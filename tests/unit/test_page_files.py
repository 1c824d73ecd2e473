"""The pages' files: compression, caching, and the paths that pages have."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from windtunnel_api.pages import serve_pages

INDEX = "<title>Windtunnel</title>"
SCRIPT = "console.log(1);"


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    (tmp_path / "assets").mkdir()
    for name, text in {
        "index.html": INDEX,
        "favicon.svg": "<svg/>",
        "assets/main-1f2e.js": SCRIPT,
    }.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "assets" / "plain-3d.css").write_text("a {}")
    app = FastAPI(docs_url=None, redoc_url=None)
    serve_pages(app, tmp_path)
    return app


def get(app: FastAPI, path: str, encoding: str = "identity", **headers: str) -> httpx2.Response:
    async def ask() -> httpx2.Response:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://pages") as client:
            return await client.get(path, headers={"Accept-Encoding": encoding, **headers})

    return asyncio.run(ask())


@pytest.mark.parametrize("encoding", ["gzip", "deflate, gzip;q=1.0, *;q=0.5", "br,gzip", "*"])
def test_compressed_files_are_sent_to_browsers_that_accept_them(
    app: FastAPI, encoding: str
) -> None:
    for path, text, kind in (
        ("/assets/main-1f2e.js", SCRIPT, "text/javascript"),
        ("/campaigns/7f3a", INDEX, "text/html"),
        ("/favicon.svg", "<svg/>", "image/svg+xml"),
    ):
        response = get(app, path, encoding)
        assert response.headers["content-encoding"] == "gzip"
        assert response.headers["vary"] == "Accept-Encoding"
        assert response.headers["content-type"].startswith(kind)
        assert response.text == text


@pytest.mark.parametrize("encoding", ["", "identity", "br", "gzip;q=0", "gzip;q=0.0, br"])
def test_others_get_the_file_itself(app: FastAPI, encoding: str) -> None:
    for path, text in (("/assets/main-1f2e.js", SCRIPT), ("/", INDEX)):
        response = get(app, path, encoding)
        assert "content-encoding" not in response.headers
        assert response.headers["vary"] == "Accept-Encoding"
        assert response.text == text


def test_assets_are_cached_for_a_year(app: FastAPI) -> None:
    response = get(app, "/assets/main-1f2e.js", "gzip")
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    again = get(app, "/assets/main-1f2e.js", "gzip", **{"If-None-Match": response.headers["etag"]})
    assert again.status_code == 304
    assert get(app, "/assets/plain-3d.css", "gzip").text == "a {}"
    missing = get(app, "/assets/gone-4c.js", "gzip")
    assert (missing.status_code, missing.headers.get("cache-control")) == (404, None)
    assert get(app, "/", "gzip").headers["cache-control"] == "no-cache"


PAGES = (
    "/ /campaigns /campaigns/7f3a /campaigns/7f3a/comparison /campaigns/7f3a/runs "
    "/campaigns/7f3a/file /campaigns/ /new /compare /runs/1a2b /catalogue /tokens /system"
)
OTHERS = (
    "/docs /metrics /nonsense /campaigns/7f3a/nonsense /campaigns/7f3a/runs/1 /runs /runs/1a/2b "
    "/catalogue/ns3 /newer /tokens/x /index.html.gz"
)


def test_every_other_path_is_the_index_page_with_status_404(app: FastAPI) -> None:
    for path in PAGES.split():
        assert (get(app, path).status_code, get(app, path).text) == (200, INDEX), path
    for path in OTHERS.split():
        assert (get(app, path).status_code, get(app, path).text) == (404, INDEX), path
    assert "Windtunnel" not in get(app, "/api/v1/nothing").text
