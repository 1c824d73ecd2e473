"""Large answers of the API are compressed; event streams are not."""

from __future__ import annotations

from tests.conftest import Service, tiny_campaign


def test_large_answers_are_compressed_and_keep_their_etag(service: Service) -> None:
    document = tiny_campaign("large", sweep={"offset": list(range(60))})
    id_ = service.wait(service.submit(document)["id"])["id"]
    path = f"/campaigns/{id_}/comparison"
    plain = service.http.get(path, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    packed = service.http.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.json() == plain.json()
    assert packed.headers["etag"] == f"W/{plain.headers['etag']}"
    assert int(packed.headers["content-length"]) < len(plain.content) / 4
    for etag in (packed.headers["etag"], plain.headers["etag"]):
        again = service.http.get(path, headers={"If-None-Match": etag})
        assert (again.status_code, again.content) == (304, b"")
    small = service.http.get(f"/campaigns/{id_}", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in small.headers


def test_events_are_sent_at_once(service: Service) -> None:
    campaign = service.submit(tiny_campaign("events", offset=99, wall=5))
    headers = {"Accept-Encoding": "gzip"}
    path = f"/campaigns/{campaign['id']}/events"
    with service.http.stream("GET", path, headers=headers) as stream:
        assert "content-encoding" not in stream.headers
        first = next(line for line in stream.iter_lines() if line.startswith("data: "))
    assert '"ended":false' in first
    service.wait(campaign["id"])
