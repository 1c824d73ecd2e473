"""Several simulators in one campaign, and builds under names of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import windtunnel
from tests.conftest import FAT_TREE, UNOPTIMIZED, Service, tiny_campaign


@pytest.fixture(scope="module")
def release(service: Service) -> str:
    """Another release of ns-3, built while the service runs; its name."""
    command = ("build", "--release", "3.43", "--data", service.folders.data)
    built = windtunnel(*command, timeout=600, environment=UNOPTIMIZED)
    assert built.returncode == 0, built.stderr
    assert "simulator: ns3-3.43 in a campaign file now means" in built.stdout
    # The service that runs on the folder offers it by now.
    names = [simulator["name"] for simulator in service.get("/catalogue")["simulators"]]
    assert names == ["ns3", "ns3-3.43", "tiny"]
    return "ns3-3.43"


def test_simulators_are_compared_on_metrics_with_equal_name_and_unit(
    service: Service,
) -> None:
    """ns3 beside the tiny simulator, each with a scenario of its own schema."""
    parts = {name: FAT_TREE[name] for name in ("topology", "workload")}
    packets = {"label": "packets", "simulator": "ns3", "algorithm": "cubic", **parts}
    fluid = {"label": "fluid", "simulator": "tiny", "goodput": 11.5, "offset": 1}
    campaign = service.submit(
        {
            "name": "two-models",
            "scenario": {"duration": "200ms"},
            "sweep": {"engine": [packets, fluid]},
            "replications": 3,
            "baseline": {"engine": "packets"},
        }
    )
    assert [simulator["name"] for simulator in campaign["simulators"]] == ["ns3", "tiny"]
    ended = service.wait(campaign["id"])
    assert ended["runs"]["succeeded"] == 6
    comparison = service.get(f"/campaigns/{campaign['id']}/comparison")
    ns3, tiny = comparison["cells"]
    assert (ns3["simulator"]["name"], tiny["simulator"]["name"]) == ("ns3", "tiny")
    goodput = tiny["metrics"]["goodput_mbps"]
    assert list(goodput["values"].values()) == [11.5 + seed for seed in (1, 2, 3)]
    against = goodput["against_baseline"]
    ns3_goodput = ns3["metrics"]["goodput_mbps"]["estimate"]["mean"]
    assert against["mean"] == pytest.approx(13.5 - ns3_goodput)
    # Their traffic is not the same, so that seeds can't be paired.
    assert (tiny["paired"], against["paired"]) == (False, False)
    assert any(note.startswith("unpaired") and "fluid" in note for note in comparison["notes"])
    # What only one of them measures, or measures in another unit, is missing with its reason.
    assert tiny["metrics"]["drops_total"]["missing"] == [
        {"reason": "not measured by tiny", "seeds": [1, 2, 3]}
    ]
    delay = tiny["metrics"]["packet_delay_ms_mean"]
    assert delay["estimate"] is None
    assert delay["missing"][0]["reason"] == "reported in 's', not in 'ms'"
    shown = windtunnel("compare", campaign["id"], "--metric", "goodput_mbps", "--server",
                       service.url).stdout  # fmt: skip
    assert "fluid" in shown
    assert "13.5 ± 2.5" in shown


@pytest.mark.long
def test_two_releases_are_paired(service: Service, release: str) -> None:
    """Both agree exactly: NewReno on point-to-point links is the same in both releases."""
    campaign = service.submit(
        {
            "name": "releases",
            "scenario": {**FAT_TREE, "algorithm": "newreno"},
            "sweep": {"simulator": ["ns3", release]},
            "replications": 2,
            "baseline": {"simulator": "ns3"},
        }
    )
    assert service.wait(campaign["id"])["runs"]["succeeded"] == 4
    comparison = service.get(f"/campaigns/{campaign['id']}/comparison")
    other = comparison["cells"][1]
    assert other["paired"]
    assert comparison["cells"][0]["digests"] == other["digests"]
    assert other["metrics"]["goodput_mbps"]["against_baseline"]["mean"] == 0
    run = service.get(f"/runs/{other['runs']['1']}")
    assert run["simulator_name"] == release


@pytest.mark.long
def test_another_build_does_not_change_the_name_ns3(service: Service, release: str) -> None:
    builds = {simulator["name"]: simulator for simulator in service.get("/catalogue")["simulators"]}
    assert builds["ns3"]["engine"] == "ns-3 3.44"
    assert builds[release]["engine"] == "ns-3 3.43"
    assert builds["ns3"]["digest"] != builds[release]["digest"]


@pytest.mark.long
def test_the_catalogue_lists_all_simulators(service: Service, release: str) -> None:
    listed = windtunnel("catalogue", "algorithms", "--server", service.url).stdout
    for heading in ("ns3: ", f"{release}: ", "tiny: "):
        assert heading in listed
    local = windtunnel("catalogue", "metrics", "--data", service.folders.data).stdout
    assert f"{release}: " in local
    tiny_only = windtunnel(
        "catalogue", "metrics", "--simulator", "tiny", "--server", service.url
    ).stdout
    assert "things" in tiny_only
    assert "ns3: " not in tiny_only
    schema = windtunnel("schema", "--simulator", release, "--server", service.url)
    assert '"fat-tree"' in schema.stdout
    unknown = windtunnel("catalogue", "--simulator", "ns3-mine", "--server", service.url)
    assert unknown.returncode == 2
    assert "windtunnel build DIR --name ns3-mine" in unknown.stderr


@pytest.mark.parametrize(
    ("simulator", "expected"),
    [
        ("ns3-3.44", "to build it: windtunnel build --release 3.44"),
        ("ns3-mine", "to build it: windtunnel build DIR --name ns3-mine"),
        ("htsim", "unknown simulator 'htsim': no worker offers it; known simulators: ns3, "),
        ("tiny@0123456789", "unknown build 'tiny@0123456789': no worker has ever offered it"),
    ],
)
def test_an_unavailable_simulator_is_rejected_with_its_line(
    service: Service, tmp_path: Path, simulator: str, expected: str
) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(
        "name: x\nscenario:\n  duration: 10ms\nsweep:\n  engine:\n"
        f"    - {{label: a, simulator: tiny}}\n    - {{label: b, simulator: {simulator}}}\n"
    )
    refused = windtunnel("submit", file, "--server", service.url)
    assert refused.returncode == 2
    assert f"{file}:7: sweep.engine[1].simulator: " in refused.stderr
    assert expected in refused.stderr


def test_a_cell_without_an_available_simulator_does_not_block_others(
    service: Service,
) -> None:
    """The note names the missing simulator, and the other cells are computed."""
    from sqlalchemy import text

    from windtunnel.store.database import Database

    database = Database(service.database_url, pool_size=1)
    with database.transaction() as session:
        session.execute(
            text(
                "INSERT INTO simulator (digest, name, description, installed_at) SELECT "
                "repeat('8', 64), 'phantom', replace(replace(description::text, digest, "
                "repeat('8', 64)), '\"tiny\"', '\"phantom\"')::json, installed_at FROM simulator "
                "WHERE name = 'tiny' LIMIT 1"
            )
        )
    database.close()
    engines = [{"label": name, "simulator": name, "offset": 4100} for name in ("phantom", "tiny")]
    campaign = service.submit(tiny_campaign("half", sweep={"engine": engines}, replications=3))
    path = f"/campaigns/{campaign['id']}"
    state = service.until(
        lambda: service.get(path), lambda status: status["runs"]["succeeded"] == 3
    )
    assert (state["state"], state["ended"], state["runs"]["queued"]) == ("running", False, 3)
    assert state["note"] == "waiting for simulator phantom@888888888888: no worker offers it"
    service.http.delete(path)


def test_a_failed_build_reports_the_reason(service: Service, tmp_path: Path) -> None:
    data = ("--data", service.folders.data)
    nothing = windtunnel("build", tmp_path / "nowhere", *data)
    assert (nothing.returncode, "no such folder" in nothing.stderr) == (2, True)
    empty = windtunnel("build", tmp_path, *data)
    assert "contains no C++ source" in empty.stderr
    release = windtunnel("build", "--release", "3.1", *data)
    assert (release.returncode, "3.44 or 3.43" in release.stderr) == (2, True)
    (tmp_path / "x.cc").write_text("int x;")
    other = windtunnel("build", "--name", "tiny", *data)
    assert (other.returncode, "is already the name of another simulator" in other.stderr) == (
        2,
        True,
    )
    taken = windtunnel("build", tmp_path, "--name", "ns3", *data)
    assert "'ns3' is reserved for stock ns-3" in taken.stderr
