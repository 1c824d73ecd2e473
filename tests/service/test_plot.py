"""windtunnel plot against the real service: figures of its numbers, and its errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.lines import Line2D

from tests.commands import windtunnel
from tests.conftest import Service, tiny_campaign
from tests.docs.blocks import block
from windtunnel.client.http import HttpClient
from windtunnel.errors import RefusedError
from windtunnel.plot import PlotRequest, draw

COEXISTENCE: dict[str, Any] = {
    "name": "pairs",
    "simulator": "ns3",
    "scenario": {
        "topology": {
            "kind": "dumbbell",
            "bottleneck": {"rate": "10Mbps", "delay": "1ms"},
        },
        "workload": {"kind": "bulk", "groups": [{"name": "first"}, {"name": "second"}]},
        "duration": "1s",
    },
    "sweep": {
        "workload.groups[0].algorithm": ["newreno", "vegas"],
        "workload.groups[1].algorithm": ["newreno", "vegas"],
    },
    "replications": 2,
    "series": [
        {"probe": "cwnd", "at": "flows", "step": "10ms"},
        {"probe": "queue_length", "at": "bottleneck", "step": "10ms"},
    ],
}


@pytest.fixture(scope="module")
def swept(service: Service) -> str:
    sweep = {"offset": [10, 100, 1000]}
    campaign = service.submit(tiny_campaign(name="sweep", sweep=sweep, replications=3))
    return str(service.wait(campaign["id"])["id"])


@pytest.fixture(scope="module")
def pairs(service: Service) -> str:
    return str(service.wait(service.submit(COEXISTENCE)["id"])["id"])


@pytest.fixture(scope="module")
def client(service: Service) -> HttpClient:
    return HttpClient(service.url, service.running.token)


def xy(line: Line2D) -> list[list[float]]:
    points: list[list[float]] = np.asarray(line.get_xydata(), dtype=float).tolist()
    return points


def test_the_command_draws_the_comparison(
    service: Service, client: HttpClient, swept: str, tmp_path: Path
) -> None:
    file = tmp_path / "figure.pdf"
    done = windtunnel(
        "plot", swept[:8], "--x", "offset", "--y", "value", "-o", file, "--server", service.url
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"wrote {file} (3.33 x 2.1 in)\n"
    assert file.read_bytes().startswith(b"%PDF")
    [axes] = draw(client.get, swept, PlotRequest(x="offset", y=("value",))).axes
    cells = service.get(f"/campaigns/{swept}/comparison", metric="value")["cells"]
    means = [cell["metrics"]["value"]["estimate"]["mean"] for cell in cells]
    [line] = [one for one in axes.get_lines() if one.get_marker() != "None"]
    assert xy(line) == [[place, mean] for place, mean in zip([10, 100, 1000], means, strict=True)]
    # values are the offset plus seeds 1 to 3
    assert means == [12, 102, 1002]


def test_every_kind_is_drawn_of_a_real_campaign(client: HttpClient, pairs: str) -> None:
    requests = [
        PlotRequest(),
        PlotRequest(kind="dots", width="page"),
        PlotRequest(x="groups[0].algorithm", y=("goodput_mbps:first",)),
        PlotRequest(kind="cdf", x="packet_delay_ms"),
        PlotRequest(kind="scatter", y=("goodput_total_mbps", "packet_delay_ms_mean")),
        PlotRequest(kind="heatmap", y=("jain_fairness",)),
        PlotRequest(kind="series", cell=1),
    ]
    for request in requests:
        figure = draw(client.get, pairs, request)
        assert figure.axes, request
    cwnd, queue = figure.axes[:2]
    legend = cwnd.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["newreno", "vegas"]
    assert queue.get_ylabel() == "Queue\n(packets)"


def test_series_are_those_of_the_run(service: Service, client: HttpClient, pairs: str) -> None:
    run = next(run for run in service.runs(pairs) if run["cell_index"] == 0)
    figure = draw(client.get, pairs, PlotRequest(run=run["id"][:12], series=("queue_length",)))
    series = service.get(f"/runs/{run['id']}/series/queue_length bottleneck", full=True)
    [line] = figure.axes[0].get_lines()
    expected = [
        [time / 1e9, value]
        for time, value in zip(series["times_ns"], series["values"], strict=True)
    ]
    assert xy(line) == expected


def test_a_campaign_that_runs_is_drawn_as_far_as_it_is(service: Service, tmp_path: Path) -> None:
    slow = tiny_campaign(name="slow", sweep={"wall": [0, 600]}, replications=2)
    campaign = service.submit(slow)["id"]
    service.until(
        lambda: service.get(f"/campaigns/{campaign}/comparison")["cells"][0]["finished"],
        lambda finished: finished == 2,
    )
    done = windtunnel(
        "plot", campaign, "--kind", "dots", "-o", tmp_path / "a.svg", "--server", service.url
    )
    service.http.post(f"/campaigns/{campaign}/cancel")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "the figure shows 2 of 4 runs: the others have no result (yet)\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "a.jpg"], "output: '.jpg' is not a format of figures; use .pdf, .svg or .png"),
        (["-o", "missing/a.pdf"], "--output missing/a.pdf: no such folder"),
        (["-o", "a.pdf", "--y", "valeu"], "y: 'valeu' is not a metric; did you mean 'value'?"),
        (["-o", "a.pdf", "--x", "ofset"], "x: 'ofset' is not an axis of this campaign; did you"),
        (["-o", "a.pdf", "--kind", "pie"], "kind: 'pie' is not a kind of figure; kinds: line, "),
        (["-o", "a.pdf", "--kind", "cdf", "--x", "bites"], "x: 'bites' is not a numeric flow"),
        (["-o", "a.pdf", "--series", "step"], "series: 'step' is not a series of this run; did"),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(
    service: Service, swept: str, tmp_path: Path, arguments: list[str], message: str
) -> None:
    arguments = [str(tmp_path / word) if word == "a.pdf" else word for word in arguments]
    done = windtunnel("plot", swept, *arguments, "--server", service.url)
    assert done.returncode == 2
    assert " ".join(done.stderr.split()).startswith(message)
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())


def test_nothing_is_drawn_before_a_run_has_finished(service: Service, tmp_path: Path) -> None:
    campaign = service.submit(tiny_campaign(name="begun", wall=600))["id"]
    done = windtunnel("plot", campaign, "-o", tmp_path / "a.pdf", "--server", service.url)
    service.http.post(f"/campaigns/{campaign}/cancel")
    assert done.returncode == 2
    assert "no run of campaign" in done.stderr
    assert "has finished yet" in done.stderr


def test_an_unknown_campaign_is_the_services_error(client: HttpClient) -> None:
    with pytest.raises(RefusedError, match="campaign ffffffff does not exist"):
        draw(client.get, "ffffffff", PlotRequest())


def test_the_documented_python(
    service: Service, swept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = block("docs/figures.md", "import windtunnel").text
    monkeypatch.setenv("WINDTUNNEL_SERVER", service.url)
    for shown, ours in (
        ('"ID"', repr(swept)),
        ('"servers"', '"offset"'),
        ('"round_goodput_mbps"', '"value"'),
    ):
        assert shown in code
        code = code.replace(shown, ours)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/figures.md", "exec"), {})
    assert (tmp_path / "incast.pdf").read_bytes().startswith(b"%PDF")
