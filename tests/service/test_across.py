"""Labels, comparison across campaigns and histories, on real simulations of the tiny simulator."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import windtunnel
from tests.conftest import Service, start_service, tiny_campaign
from tests.service.test_queries import counted
from windtunnel.comparison.history import HistoryView
from windtunnel.store import campaigns
from windtunnel.store.database import Database
from windtunnel.store.history import metric_history
from windtunnel.store.labels import find_reference
from windtunnel_api.comparisons import Comparisons, View


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service()


def measured(
    service: Service, name: str, labels: list[str], offsets: list[int], **changes: Any
) -> str:
    """A finished campaign; its cells' values are their offset plus the seed, 1 to 5."""
    campaign = tiny_campaign(name, sweep={"offset": offsets}, replications=5, **changes)
    answer = service.http.post("/campaigns", json=campaign, params={"label": labels})
    assert answer.status_code == 202, answer.text
    return str(service.wait(answer.json()["id"])["id"])


@pytest.fixture(scope="module")
def baseline(service: Service) -> str:
    return measured(service, "study", ["branch=main", "commit=c1"], [100, 200])


@pytest.fixture(scope="module")
def candidate(service: Service, baseline: str) -> str:
    """Twice as long, which changes no value, with another cell."""
    return measured(service, "study", ["branch=mine"], [200, 300, 100], duration="20ms")


def problem(service: Service, path: str, status: int, **params: Any) -> dict[str, Any]:
    answer = service.http.get(path, params=params)
    assert answer.status_code == status, answer.text
    content: dict[str, Any] = answer.json()
    return content


def test_labels_are_stored_shown_and_searched(service: Service, baseline: str) -> None:
    file = {**tiny_campaign("own"), "labels": {"branch": "file", "os": "linux"}}
    answer = service.http.post("/campaigns", json=file, params={"label": ["branch=query"]})
    own = answer.json()
    assert own["labels"] == {"branch": "query", "os": "linux"}
    assert service.get(f"/campaigns/{own['id']}")["labels"] == own["labels"]
    listed = service.get("/campaigns", label=["branch=query", "os=linux"])["campaigns"]
    assert [campaign["id"] for campaign in listed] == [own["id"]]
    assert service.get("/campaigns", label="branch=file")["campaigns"] == []
    all_main = service.get("/campaigns", label="branch=main")["campaigns"]
    assert baseline in [campaign["id"] for campaign in all_main]


def test_pages_of_campaigns_with_a_label_follow_each_other(service: Service) -> None:
    ids = [service.submit({**tiny_campaign("p"), "labels": {"page": "yes"}})["id"] for _ in "abc"]
    seen, cursor = [], None
    while True:
        asked = {"label": "page=yes", "limit": 1, **({"cursor": cursor} if cursor else {})}
        page = service.get("/campaigns", **asked)
        seen += [campaign["id"] for campaign in page["campaigns"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == ids[::-1]


def test_labels_are_part_of_an_idempotent_request(service: Service) -> None:
    def post(*labels: str) -> Any:
        headers = {"Idempotency-Key": "labels"}
        return service.http.post(
            "/campaigns", json=tiny_campaign("k"), params={"label": labels}, headers=headers
        )

    first = post("a=1", "b=2").json()["id"]
    assert post("b=2", "a=1").json()["id"] == first
    assert post("a=1", "b=3").status_code == 409


@pytest.mark.parametrize("label", ["branch", "branch=two words", "=main"])
def test_what_is_no_label_is_refused_before_anything_is_planned(
    service: Service, label: str
) -> None:
    answer = service.http.post("/campaigns", json={"no": "campaign"}, params={"label": label})
    assert answer.status_code == 422
    assert [error["path"] for error in answer.json()["errors"]] == ["query.label"]


def test_a_campaign_has_at_most_twenty_labels_together(service: Service) -> None:
    file = {**tiny_campaign("many"), "labels": {f"n{n}": "x" for n in range(20)}}
    answer = service.http.post("/campaigns", json=file, params={"label": "one=more"})
    assert answer.json()["errors"][0]["message"] == "21 labels; at most 20 are allowed"


@pytest.mark.parametrize("reference", ["id", "label:branch=main", "label:commit=c1,branch=main"])
def test_a_campaign_is_compared_with_another_one(
    service: Service, baseline: str, candidate: str, reference: str
) -> None:
    asked = baseline if reference == "id" else reference
    comparison = service.get(f"/campaigns/{candidate}/comparison", against=asked)
    against = comparison["against"]
    assert (against["campaign"], against["name"]) == (baseline, "study")
    assert against["labels"] == {"branch": "main", "commit": "c1"}
    assert against["cells"] == {"0": 1, "2": 0}
    assert [difference["text"] for difference in against["differences"]] == [
        "duration: 10ms -> 20ms in both cells",
        f"1 cell only in {candidate}: 300",
    ]
    assert comparison["family"] == {"comparisons": 2, "metrics": ["value"], "size": 2}
    first, unmatched, last = comparison["cells"]
    for cell in (first, last):
        difference = cell["metrics"]["value"]["against_baseline"]
        assert (difference["paired"], difference["n"], difference["mean"]) == (True, 5, 0)
        assert cell["metrics"]["value"]["verdict"]["label"] == "equivalent"
    assert unmatched["metrics"]["value"]["against_baseline"] is None
    assert comparison["summary"] == [f"value: equivalent to study {baseline} in all 2 cells."]


def test_a_campaigns_own_comparison_has_no_reference(service: Service, candidate: str) -> None:
    assert service.get(f"/campaigns/{candidate}/comparison")["against"] is None


def test_a_changed_reference_changes_the_answer(service: Service, candidate: str) -> None:
    other = measured(service, "growing", [], [100, 200])
    path = f"/campaigns/{candidate}/comparison"
    before = service.http.get(path, params={"against": other})
    assert (
        before.headers["ETag"] == service.http.get(path, params={"against": other}).headers["ETag"]
    )
    service.http.post(f"/campaigns/{other}/replications", json={"replications": 6})
    service.wait(other)
    after = service.http.get(path, params={"against": other})
    assert "replications: 6 -> 5 in both cells" in [
        difference["text"] for difference in after.json()["against"]["differences"]
    ]


def test_the_newest_complete_campaign_with_a_label_is_the_reference(
    service: Service, candidate: str
) -> None:
    older = measured(service, "study", ["branch=next"], [100])
    newer = measured(service, "study", ["branch=next"], [200])
    measured(service, "study", ["branch=next"], [100, 200], misbehave="crash")
    measured(service, "another", ["branch=next"], [100])
    path = f"/campaigns/{candidate}/comparison"
    assert service.get(path, against="label:branch=next")["against"]["campaign"] == newer
    path = f"/campaigns/{newer}/comparison"
    # Not itself; 100 and 200 are single labels that differ.
    refused = problem(service, path, 422, against="label:branch=next")
    assert refused["code"] == "nothing_in_common"
    assert f"{newer} has offset (200); {older} has offset (100)" in refused["detail"]


def test_references_that_do_not_exist_are_refused(
    service: Service, candidate: str, baseline: str
) -> None:
    path = f"/campaigns/{candidate}/comparison"
    unknown = problem(service, path, 404, against="label:branch=nowhere")
    assert unknown["detail"] == "no other campaign has the label branch=nowhere"
    itself = problem(service, path, 422, against=candidate)
    assert itself["errors"][0]["path"] == "query.against"
    assert itself["errors"][0]["message"] == f"{candidate} is the campaign itself; name another one"
    own = problem(service, path, 404, against="label:branch=mine")
    assert own["detail"] == "no other campaign has the label branch=mine"
    assert problem(service, path, 404, against="ffffffffff")["code"] == "not_found"
    assert problem(service, path, 422, against="label:")["errors"][0]["path"] == "query.against"
    broken = measured(service, "study", ["branch=broken"], [100], misbehave="crash")
    incomplete = problem(service, path, 404, against="label:branch=broken")
    assert incomplete["detail"] == (
        "no complete campaign named 'study' has the label branch=broken; with this label: "
        f"{broken} (study, ended, not all runs succeeded)"
    )
    other = measured(service, "renamed", ["branch=renamed"], [100])
    renamed = problem(service, path, 404, against="label:branch=renamed")
    assert f"{other} (renamed, complete)" in renamed["detail"]


@pytest.fixture(scope="module")
def commits(service: Service) -> list[str]:
    """Five commits. The value is the offset plus the seed modulo 3 in the third and fourth."""
    values = [1_000_000, 1_000_000, 3, 3, 1_000_000]
    return [
        measured(service, "history", ["branch=trunk", f"commit=c{n}"], [10, 20], modulus=modulus)
        for n, modulus in enumerate(values)
    ]


def test_a_history_has_a_point_for_each_campaign(service: Service, commits: list[str]) -> None:
    history = service.get("/history", metric="value", label="branch=trunk")
    assert [campaign["id"] for campaign in history["campaigns"]] == commits
    assert [campaign["value"] for campaign in history["campaigns"]] == [
        "c0",
        "c1",
        "c2",
        "c3",
        "c4",
    ]
    assert (history["name"], history["by"], history["tests"]) == ("history", "commit", 4)
    cell = history["cells"][0]
    assert cell["coordinates"] == {"offset": "10"}
    assert [point["estimate"]["mean"] for point in cell["points"]] == [13, 13, 11.2, 11.2, 13]
    assert history["metric"]["unit"] == "things"


def test_a_change_of_a_history_is_found(service: Service) -> None:
    """All values of 10 seeds fall by 10."""
    labels = ["branch=steps"]
    for offset in (50, 50, 40):
        campaign = tiny_campaign("steps", offset=offset, replications=10)
        answer = service.http.post("/campaigns", json=campaign, params={"label": labels})
        service.wait(answer.json()["id"])
    history = service.get("/history", metric="value", label="branch=steps")
    (cell,) = history["cells"]
    (change,) = cell["changes"]
    assert change["campaign"] == history["campaigns"][2]["id"]
    assert (change["outcome"], change["difference"]["mean"]) == ("worse", -10)
    assert change["p"] == 2**-9  # the same difference under every seed, one position
    assert history["by"] is None


def test_cells_and_campaigns_of_a_history_are_chosen(service: Service, commits: list[str]) -> None:
    history = service.get(
        "/history", metric="value", label="branch=trunk", cell="offset=20", limit=2, by="branch"
    )
    assert [cell["coordinates"] for cell in history["cells"]] == [{"offset": "20"}]
    assert [campaign["id"] for campaign in history["campaigns"]] == commits[-2:]
    assert {campaign["value"] for campaign in history["campaigns"]} == {"trunk"}


@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [
        ({"metric": "valeu"}, 422, "'valeu' is not a metric; did you mean 'value'?"),
        ({"label": "branch=nowhere"}, 404, "no campaign with the label branch=nowhere exists"),
        ({"name": "nothing"}, 404, "no campaign named 'nothing' with the label branch=trunk has"),
        ({"cell": "offset"}, 422, "'offset' is not an axis and its label"),
        ({"cell": "ofset=10"}, 422, "'ofset' is not an axis; did you mean 'offset'?"),
        ({"cell": "offset=11"}, 422, "'11' is not on the axis offset"),
        ({"by": "build"}, 422, "no campaign of this history has a label 'build'"),
    ],
)
def test_errors_of_histories_say_what_is_known(
    service: Service, commits: list[str], asked: dict[str, str], status: int, message: str
) -> None:
    params = {"metric": "value", "label": "branch=trunk", **asked}
    assert message in problem(service, "/history", status, **params)["detail"]


def test_a_history_is_of_campaigns_of_one_name(service: Service, commits: list[str]) -> None:
    measured(service, "other", ["branch=trunk"], [10])
    refused = problem(service, "/history", 422, metric="value", label="branch=trunk")
    assert refused["errors"][0]["path"] == "query.name"
    assert "history, other" in refused["errors"][0]["message"]
    chosen = service.get("/history", metric="value", label="branch=trunk", name="history")
    assert len(chosen["campaigns"]) == 5


def test_the_number_of_statements_is_constant(
    service: Service, database: Database, candidate: str, baseline: str
) -> None:
    counts = []
    for cells in (1, 20):
        offsets = list(range(100, 100 + cells))
        ids = [
            measured(service, f"of {cells}", [f"size={cells}"], offsets, **changes)
            for changes in ({}, {"duration": "20ms"})
        ]
        view, label = View((), only_default=False, with_incomplete=False), f"label:size={cells}"
        with database.transaction() as session, counted(database) as statements:
            campaign = campaigns.find_campaign(session, ids[1])
            reference = find_reference(session, campaign, label)
            assert reference.id == ids[0]
            Comparisons().across(session, campaign, reference, view)
            compared = len(statements)
            labels = {"size": str(cells)}
            metric_history(session, "value", labels, None, 50, HistoryView({}))
        counts.append((compared, len(statements) - compared))
    # find 1, reference 1, versions 2, metrics 1, cells, runs and values 3 each, and of what differs
    # scenario digests, scenarios and settings; names, campaigns, values, runs and cells.
    assert counts == [(14, 5), (14, 5)]


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line.rstrip() for line in done.stdout.splitlines()]


def test_the_command_line_shows_the_reference_and_differences_first(
    service: Service, candidate: str, baseline: str
) -> None:
    against = ("--against", "label:branch=main", "--server", service.url)
    done = windtunnel("compare", candidate, *against)
    assert done.returncode == 0, done.stderr
    first, heading, duration, cells = lines(done)[:4]
    assert first.startswith(f"against study {baseline} (")
    assert first.endswith(" UTC, branch=main commit=c1), 2 matching cells")
    assert heading == "what differs between the configurations:"
    assert duration == "  duration: 10ms -> 20ms in both cells"
    assert cells == f"  1 cell only in {candidate}: 300"
    heading = next(line for line in lines(done) if line.startswith("offset"))
    assert heading.endswith(baseline)
    document = json.loads(windtunnel("compare", candidate, *against, "--json", "-").stdout)
    assert document["comparison"]["against"]["campaign"] == baseline


def test_the_command_line_refuses_what_it_cannot_compare(service: Service, baseline: str) -> None:
    done = windtunnel("compare", baseline, "--against", baseline, "--server", service.url)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        f"query.against: {baseline} is the campaign itself; name another one"
    )


def test_labels_on_the_command_line(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "labelled.yaml"
    file.write_text(json.dumps(tiny_campaign("labelled")))
    server = ("--server", service.url)
    labels = ("--label", "branch=cli", "--label", "commit=1f2e")
    submitted = windtunnel("submit", file, *labels, *server).stdout.strip()
    ran = windtunnel("run", file, *labels, *server)
    assert ran.returncode == 0, ran.stderr
    listed = lines(windtunnel("status", "--label", "branch=cli", *server))
    assert [line.split()[1] for line in listed[1:]] == ["labelled", "labelled"]
    shown = windtunnel("status", submitted, *server).stdout
    assert "labels: branch=cli commit=1f2e" in shown
    refused = windtunnel("submit", file, "--label", "branch", *server)
    assert refused.returncode == 2
    assert "'branch' is not a label such as branch=main" in refused.stderr


def test_the_command_line_shows_a_history(service: Service, commits: list[str]) -> None:
    server = ("--server", service.url)
    asked = ("value", "--label", "branch=trunk", "--name", "history", "--cell", "offset=10")
    done = windtunnel("history", *asked, *server)
    assert done.returncode == 0, done.stderr
    shown = lines(done)
    assert shown[0] == "value (things) over 5 campaigns named history with branch=trunk"
    points = [line.split() for line in shown if " c" in line and "±" in line][1:]
    assert [point[2:6] for point in points] == [
        [f"c{n}", mean, "±", half]
        for n, (mean, half) in enumerate(
            [("13.0", "2.0"), ("13.0", "2.0"), ("11.2", "1.0"), ("11.2", "1.0"), ("13.0", "2.0")]
        )
    ]
    assert "no significant change" in shown
    assert json.loads(windtunnel("history", *asked, *server, "--json", "-").stdout)["tests"] == 2
