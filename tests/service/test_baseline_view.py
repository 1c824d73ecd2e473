"""Another baseline for a view of a comparison, through the API and the command line."""

from __future__ import annotations

import pytest

from tests.commands import windtunnel
from tests.conftest import Service, tiny_campaign


@pytest.fixture
def path(service: Service) -> str:
    """A campaign whose cells' values are their offset plus the seed, against the offset 100."""
    campaign = tiny_campaign(
        "view", sweep={"offset": [100, 200, 300]}, replications=3, baseline={"offset": 100}
    )
    return f"/campaigns/{service.wait(service.submit(campaign)['id'])['id']}/comparison"


def test_differences_are_to_the_baseline_that_is_asked_for(service: Service, path: str) -> None:
    own = service.http.get(path)
    answer = service.http.get(path, params={"baseline": "offset=200"})
    assert answer.headers["ETag"] != own.headers["ETag"]
    comparison = answer.json()
    assert comparison["baseline"] == {"offset": "200"}
    assert comparison["declared_baseline"] == {"offset": "100"}
    first, second, third = (cell["metrics"]["value"] for cell in comparison["cells"])
    assert first["against_baseline"]["mean"] == -100
    assert third["against_baseline"]["mean"] == 100
    assert second["against_baseline"] is None
    assert [metric["verdict"] for metric in (first, second, third)] == [None] * 3
    assert "Verdicts hold for the declared baseline 100 only." in comparison["notes"]
    assert service.http.get(path).content == own.content
    assert service.http.get(path, params={"baseline": "offset=100"}).content == own.content


def test_axes_that_are_not_given_keep_their_declared_label(service: Service) -> None:
    """Values are the offset plus the seed: 0, 10 of the first algorithm, 100, 110 of the second."""
    sweep = {
        "algorithm": [{"label": "one", "offset": 0}, {"label": "two", "offset": 100}],
        "goodput": [5, 6],
    }
    declared = {"algorithm": "one", "goodput": 5}
    campaign = tiny_campaign("two axes", sweep=sweep, replications=2, baseline=declared)
    path = f"/campaigns/{service.wait(service.submit(campaign)['id'])['id']}/comparison"
    own = service.http.get(path)
    other = service.get(path, baseline="algorithm=two")
    assert other["baseline"] == {"algorithm": "two", "goodput": "5"}
    assert [cell["is_baseline"] for cell in other["cells"]] == [False, False, True, False]
    both = service.get(path, baseline=["goodput=5", "algorithm=two"])
    assert both == other
    for same in ("algorithm=one", "goodput=5"):
        assert service.http.get(path, params={"baseline": same}).content == own.content


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("offset=7", "'7' is not on the axis offset (100, 200, 300)"),
        ("ofset=200", "'ofset' is not an axis of the campaign; did you mean 'offset'?"),
    ],
)
def test_an_unknown_baseline_is_refused(
    service: Service, path: str, query: str, message: str
) -> None:
    answer = service.http.get(path, params={"baseline": query})
    assert answer.status_code == 422
    assert answer.json()["errors"][0] == {
        "path": "query.baseline",
        "message": message,
        "line": None,
    }


def test_another_campaign_and_another_baseline_exclude_each_other(
    service: Service, path: str
) -> None:
    params = {"baseline": "offset=200", "against": path.split("/")[2]}
    answer = service.http.get(path, params=params)
    assert answer.status_code == 422
    assert "use one of the two" in answer.json()["detail"]


def test_the_command_line_compares_with_another_baseline(service: Service, path: str) -> None:
    campaign = path.split("/")[2]
    server = ("--server", service.url)
    done = windtunnel("compare", campaign, "--baseline", "offset=200", *server)
    assert done.returncode == 0, done.stderr
    assert "differences to 200" in done.stdout
    assert "Verdicts hold for the declared baseline 100 only." in done.stdout
    both = windtunnel(
        "compare", campaign, "--baseline", "offset=200", "--against", campaign, *server
    )
    assert both.returncode == 2
    assert "with --against another campaign is the baseline; use it or --baseline" in both.stderr
