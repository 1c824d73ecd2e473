"""Every code block and command of README.md and docs/ works as it is printed."""

from __future__ import annotations

import copy
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.conftest import ROOT, Service, new_data_folder, second_api, start_service
from tests.docs.blocks import Block, Shell, block, blocks, in_terminal, pages
from windtunnel.cli.main import app
from windtunnel.plan import Plan, make_plan
from windtunnel.spec import Document, read_campaign, read_yaml
from windtunnel.spec.description import Description

TOOLS = Path(sys.executable).parent
QUICK = "papers/cfi16/quick.yaml"
TERMINAL_COLUMNS = 150

# A page's blocks except YAML, in order: the beginning of the first line, and the test that covers
# it. Exempt here are `make`, which .ci/run executes in a fresh clone, and Docker.
HERE = "tests/docs/test_readme.py::"
STACK = "tests/containers/test_stack.py::"
HOSTS = "tests/containers/test_two_hosts.py::"
EXAMPLE = "tests/docs/test_example.py::"
GATES = "tests/unit/test_gate_text.py::"
SECOND_HOST = "test_a_second_host_joins_with_one_command_and_takes_its_share"
ACROSS = "tests/service/test_across.py::"
EXPORTS = "tests/service/test_exports_page.py::"
FIGURES = "tests/unit/test_plot_page.py::test_commands_are_understood"
COVERED_BY = {
    "README.md": [
        ("make demo ", ".ci/run"),
        ("$ make demo", HERE + "test_the_demo_prints_what_the_readme_shows"),
        ("$ windtunnel run study.yaml", HERE + "test_errors_are_as_the_readme_shows_them"),
        ("windtunnel plot CAMPAIGN", HERE + "test_commands_of_the_table"),
        ("import windtunnel", "tests/docs/test_python.py::test_the_pages_code"),
        ("make env ", STACK + "stack"),
        ("TOKEN=$(sed ", HERE + "test_commands_with_a_token"),
        ("DATA=~/", HERE + "test_commands_of_rest"),
    ],
    "docs/sim-image-contract.md": [
        ("{", "tests/docs/test_contract.py::test_the_example_means_what_the_page_says"),
    ],
    "docs/architecture.md": [("windtunnel/ ", HERE + "test_paths_exist")],
    "docs/operations.md": [
        ("scrape_configs:", "tests/service/test_monitoring.py::prometheus"),
        ("groups:", "tests/service/test_monitoring.py::prometheus"),
        (
            "sum by (state)",
            "tests/service/test_monitoring.py::test_the_dashboards_queries_return_data",
        ),
        (
            "$ docker compose logs",
            "tests/service/test_log_of_a_run.py::test_a_runs_id_finds_its_whole_story",
        ),
        (
            "windtunnel keep CAMPAIGN",
            "tests/service/test_pruning.py::test_keep_on_the_command_line",
        ),
        (
            "$ windtunnel prune",
            "tests/service/test_pruning.py::test_prune_asks_and_says_what_it_removes",
        ),
    ],
    "docs/comparison.md": [
        (
            "family: [goodput_mbps",
            "tests/unit/test_analysis_fields.py::test_thresholds_are_relative_or_in_the_metrics_unit",
        ),
        (
            "replications: {min",
            "tests/service/test_stopping.py::test_cells_get_seeds_until_their_intervals_are_narrow",
        ),
        ("windtunnel run study.yaml --label ", ACROSS + "test_labels_on_the_command_line"),
        (
            "against dumbbell-study",
            ACROSS + "test_the_command_line_shows_the_reference_and_differences_first",
        ),
        ("newreno 20p", ACROSS + "test_the_command_line_shows_a_history"),
    ],
    "docs/figures.md": [
        *[("windtunnel plot ", FIGURES)] * 9,
        ("import windtunnel", "tests/service/test_plot.py::test_the_documented_python"),
    ],
    "docs/gates.md": [
        ("gates:", GATES + "test_the_documentations_example_is_what_is_printed"),
        ("$ windtunnel run", GATES + "test_the_documentations_example_is_what_is_printed"),
    ],
    "docs/python.md": [
        (line, "tests/docs/test_python.py::test_the_pages_code")
        for line in ("import windtunnel", "wide = ", "figure = ", "slow = ", "run = ")
    ],
    "docs/sensitivity.md": [
        ("sweep:", "tests/unit/test_designs.py::test_the_documentations_design_is_planned"),
        (
            "$ windtunnel sensitivity",
            "tests/service/test_sensitivity.py::test_the_command_line_shows_indices",
        ),
    ],
    "docs/export.md": [
        ("windtunnel export", EXPORTS + "test_the_commands_write_what_the_page_names"),
        ("import pandas", EXPORTS + "test_data_frames"),
        ("import polars", EXPORTS + "test_data_frames"),
        ("runs <- read.csv", EXPORTS + "test_r"),
        ("\\usepackage{booktabs}", EXPORTS + "test_latex"),
        ("series: [{probe: goodput", EXPORTS + "test_the_commands_write_what_the_page_names"),
    ],
    "docs/webhooks.md": [
        ("notify:", "tests/service/test_webhooks.py::test_the_end_of_a_campaign_is_told_once"),
        ("{", "tests/service/test_webhooks.py::test_the_end_of_a_campaign_is_told_once"),
        (
            "import hashlib",
            "tests/unit/test_webhooks.py::test_the_documented_check_of_a_signature",
        ),
    ],
    "docs/ci.md": [
        ("gates:", EXAMPLE + "test_a_broken_backoff_fails_with_the_right_line"),
        ("FAILED  packet_delay", EXAMPLE + "test_a_broken_backoff_fails_with_the_right_line"),
        ("- uses: actions/checkout", EXAMPLE + "test_the_page_shows_the_workflow"),
        ("measure:", EXAMPLE + "test_the_page_shows_gitlabs_commands"),
        (
            "windtunnel run study.yaml --gate",
            "tests/service/test_gates.py::test_the_documented_ci_job_can_run_again",
        ),
    ],
    "docs/deployment.md": [
        ("make env ", STACK + "stack"),
        ("export WINDTUNNEL_TOKEN=$(sed ", HERE + "test_commands_with_a_token"),
        ("windtunnel token create lab ", HERE + "test_commands_with_a_token"),
        ('echo "WINDTUNNEL_PRIVATE=10.0.0.5" ', HOSTS + SECOND_HOST),
        ("docker save windtunnel/worker ", HOSTS + SECOND_HOST),
        ("make env ", HOSTS + SECOND_HOST),
        # An image of another release is not built in CI, but the same release without Docker is.
        (
            "docker build -f sim-images/ns3/Dockerfile --build-arg ",
            "tests/service/test_simulators.py",
        ),
        # Of an upgrade, the backup; the stack itself is built and started as for `make env`.
        ("tools/backup before-upgrade.dump", STACK + "test_backup_destroy_restore"),
        ("tools/backup windtunnel-", STACK + "test_backup_destroy_restore"),
    ],
}


def test_every_block_is_covered() -> None:
    shown: dict[str, list[str]] = {}
    for each in blocks():
        if each.language != "yaml" or each.page != "README.md":
            shown.setdefault(each.page, []).append(each.first_line)
    assert set(shown) == set(COVERED_BY)
    for page, covered in COVERED_BY.items():
        for first_line, (beginning, _) in zip(shown[page], covered, strict=True):
            assert first_line.startswith(beginning)


@pytest.mark.parametrize("test", sorted({test for page in COVERED_BY.values() for _, test in page}))
def test_the_covering_tests_exist(test: str) -> None:
    file, _, name = test.partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not name or f"def {name}(" in text


# ------------------------------------------------------------------ campaign files


def campaigns() -> dict[str, str]:
    """README.md's campaigns by name, and each variant that a comment offers."""
    texts: dict[str, str] = {}
    for yaml in blocks():
        if yaml.language == "yaml" and yaml.page == "README.md":
            name = read_yaml(yaml.text).value["name"]
            texts[name] = yaml.text
            for count, variant in enumerate(variants(yaml.text), start=1):
                texts[f"{name}, variant {count}"] = variant
    return texts


def variants(text: str) -> Iterator[str]:
    """A campaign with an axis that is a comment: beside its other axes, or instead of them."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        commented = re.fullmatch(r"  # (\w+: \[.*\])", line)
        if commented:
            kept = [*lines[:number], f"  {commented[1]}", *lines[number + 1 :]]
            if "instead of both axes" in lines[number - 1]:
                kept = [other for other in kept if not re.match(r"  (algorithm|simulator):", other)]
            yield "\n".join(kept)


def with_algorithm(description: Description, name: str) -> Description:
    """A build with one more algorithm, as `windtunnel build` makes one."""
    raw: Any = copy.deepcopy(description.raw)
    choices = raw["scenario"]["properties"]["algorithm"]["oneOf"]
    added = copy.deepcopy(choices[0])
    added["properties"]["kind"]["const"] = name
    choices.append(added)
    return replace(description, raw=raw)


def plan_of(text: str, ns3: Description) -> Plan:
    release = replace(ns3, name="ns3-3.43", digest="e" * 64)
    mine = replace(with_algorithm(ns3, "third"), name="ns3-mine", digest="f" * 64)
    document = read_yaml(text)
    simulators = {simulator.name: simulator for simulator in (ns3, release, mine)}
    return make_plan(read_campaign(Document(document.value)), simulators)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("buffers-and-algorithms", 6),
        ("buffers-and-algorithms, variant 1", 12),
        ("late-newcomer", 3),
        ("coexistence", 9),
        ("releases", 4),
        ("releases, variant 1", 2),
    ],
)
def test_campaigns_are_valid(ns3: Description, name: str, cells: int) -> None:
    assert len(plan_of(campaigns()[name], ns3).cells) == cells


def test_no_campaign_is_missing_above() -> None:
    assert set(campaigns()) == {
        *("buffers-and-algorithms", "buffers-and-algorithms, variant 1", "late-newcomer"),
        *("coexistence", "releases", "releases, variant 1"),
    }


# ------------------------------------------------------------------ a running service


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    yield from start_service()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with the files that examples name; the demo's campaign is a 20th as long."""
    text = (ROOT / QUICK).read_text(encoding="utf-8")
    for long, short in (
        ("duration: 10s", "duration: 500ms"),
        ("warmup: 1s", "warmup: 50ms"),
        ("on_mean: 1s, off_mean: 1s", "on_mean: 50ms, off_mean: 50ms"),
    ):
        assert long in text
        text = text.replace(long, short)
    (tmp_path / QUICK).parent.mkdir(parents=True)
    (tmp_path / QUICK).write_text(text, encoding="utf-8")
    (tmp_path / "study.yaml").write_text(campaigns()["late-newcomer"], encoding="utf-8")
    return tmp_path


@contextmanager
def shell(workspace: Path, **environment: str) -> Iterator[Shell]:
    path = f"{TOOLS}:{os.environ['PATH']}"
    opened = Shell(workspace, {"PATH": path, **environment})
    try:
        yield opened
    finally:
        opened.close()


def run_block(shell: Shell, block: Block, url: str, **ids: str) -> list[str]:
    """Run a block's commands; outputs. ``ids`` are patterns that find an id in earlier output."""
    outputs: list[str] = []
    for written in block.commands():
        command = written.replace("http://127.0.0.1:8000", url)
        for name, pattern in ids.items():
            found = re.findall(pattern, "\n".join(outputs))
            assert found or name not in command, (name, outputs)
            command = re.sub(rf"\b{name}\b", found[0] if found else name, command)
        outputs.append(shell.run(command))
    return outputs


def test_commands_of_rest(service: Service, workspace: Path) -> None:
    rest = block("README.md", "DATA=~/")
    text = re.sub(r"^DATA=\S+", f"DATA={service.folders.data}", rest.text, flags=re.MULTILINE)
    with shell(workspace) as bash:
        _, _, submitted, planned, events, extended, comparison = run_block(
            bash, replace(rest, text=text), service.url, CAMPAIGN='"id":"([0-9a-f]+)"'
        )
    (shown,) = re.findall(r"^# (202): (\{.*), \.\.\.\}; CAMPAIGN", rest.text, re.MULTILINE)
    assert shape(submitted).startswith(shape(shown[1].replace(" ", "")))
    assert '"total_runs":40' in planned
    assert "event:" in events
    assert '"replications":6' in extended
    assert '"drops_total"' in comparison


def test_commands_with_a_token(service: Service, workspace: Path) -> None:
    """With the service's admin token in the place of the bootstrap token."""
    subprocess.run([ROOT / "tools" / "env", workspace / ".env"], check=True, capture_output=True)
    written = (workspace / ".env").read_text()
    line = f"WINDTUNNEL_BOOTSTRAP_TOKEN={service.running.token}"
    changed, count = re.subn("^WINDTUNNEL_BOOTSTRAP_TOKEN=.*$", line, written, flags=re.M)
    assert count == 1
    (workspace / ".env").write_text(changed)
    bootstrap = block("README.md", "TOKEN=")
    with second_api(service) as url:
        with shell(workspace) as bash:
            outputs = run_block(bash, bootstrap, url)
            assert '"id":"' in outputs[1]
            created = re.search(r"token (\w+) for ci, scope submit", outputs[-1])
            assert created is not None
            bash.run(f"windtunnel token revoke {created[1]}")
        with shell(workspace) as bash:
            manage = block("docs/deployment.md", "export WINDTUNNEL_TOKEN=")
            outputs = run_block(bash, manage, url, TOKEN_ID=r"token (\w+) for ci")
            assert outputs[-1].startswith("revoked token ")
            quotas = block("docs/deployment.md", "windtunnel token create lab ")
            assert "submitter" in run_block(bash, quotas, url)[-1]


# The README's table of commands, each as it can be typed.
COMMANDS = {
    # On a data folder without a service: tests/service/test_cache.py.
    "`windtunnel cache save FILE`, `cache restore FILE`": [],
    "`windtunnel run FILE [--json OUT] [--metric NAME]`": [
        "windtunnel run study.yaml --json out.json --metric goodput_mbps"
    ],
    "`windtunnel plan FILE`": ["windtunnel plan study.yaml"],
    # Until Ctrl-C: tests/service/test_own_service.py.
    "`windtunnel serve [--port PORT]`": [],
    "`windtunnel submit FILE [--dry-run]`, `watch`, `status`, `compare`, `cancel`, `resume`": [
        "windtunnel submit study.yaml --dry-run",
        "windtunnel submit study.yaml",
        "windtunnel watch CAMPAIGN",
        "windtunnel status",
        "windtunnel status CAMPAIGN",
        "windtunnel compare CAMPAIGN",
        "windtunnel cancel CAMPAIGN",
        "windtunnel resume CAMPAIGN",
    ],
    "`windtunnel run FILE --label branch=main --label commit=1f2e3d`": [
        "windtunnel run study.yaml --label branch=main --label commit=1f2e3d",
    ],
    "`windtunnel run FILE --label branch=main --supersede branch`": [
        "windtunnel run study.yaml --label branch=main --supersede branch",
    ],
    "`windtunnel run FILE --idempotency-key KEY`, `--detach`": [
        "windtunnel run study.yaml --idempotency-key KEY",
        "windtunnel run study.yaml --idempotency-key KEY --detach",
    ],
    "`windtunnel compare CAMPAIGN --against label:branch=main`": [
        "windtunnel compare CAMPAIGN --against label:branch=main",
    ],
    "`windtunnel compare CAMPAIGN --baseline algorithm=cubic`": [
        "windtunnel compare CAMPAIGN --baseline topology.queue.limit=4bdp",
    ],
    "`windtunnel history METRIC --label branch=main`": [
        "windtunnel history goodput_mbps --label branch=main",
    ],
    # Exit with 1: tests/service/test_gates.py.
    "`windtunnel run FILE --gate`, `compare CAMPAIGN --gates FILE`": [],
    "`windtunnel extend CAMPAIGN --replications 20`": [
        "windtunnel extend CAMPAIGN --replications 2",
        "windtunnel watch CAMPAIGN",
    ],
    # Compiles: tests/cpp/test_readme_models.py, tests/service/test_simulators.py.
    "`windtunnel build [DIR] [--release 3.43] [--name ns3-mine]`": [],
    # With ids: test_commands_with_a_token.
    "`windtunnel token create NAME --scope read`, `token list`, `token rotate ID`, "
    "`token revoke ID`": ["windtunnel token create NAME --scope read", "windtunnel token list"],
    "`windtunnel audit`": ["windtunnel audit"],
    "`windtunnel open [CAMPAIGN]`": ["windtunnel open", "windtunnel open CAMPAIGN"],
    "`windtunnel usage`": ["windtunnel usage"],
    "`windtunnel verify RUN`": ["windtunnel verify RUN"],
    "`windtunnel simulate RUN.json`, `simulate --run ID`": [
        "windtunnel simulate --run RUN > records.ndjson",
        'AUTH="Authorization: Bearer $WINDTUNNEL_TOKEN"',
        'curl -s -H "$AUTH" $WINDTUNNEL_SERVER/api/v1/runs/RUN | jq .spec > RUN.json',
        "windtunnel simulate RUN.json --pcap bottleneck FILE > records.ndjson",
        "test -s FILE",
    ],
    "`windtunnel catalogue`, `schema`": [
        "windtunnel catalogue",
        "windtunnel schema > campaign.schema.json",
    ],
    "`windtunnel keep CAMPAIGN`": [
        "windtunnel keep CAMPAIGN",
        "windtunnel keep --no-keep CAMPAIGN",
    ],
    "`windtunnel prune [--dry-run] [--series-after 90d] ...`": ["windtunnel prune --dry-run"],
    "`windtunnel plot CAMPAIGN --x servers --y METRIC -o fig.pdf`": [
        "windtunnel plot CAMPAIGN --x limit --y drops_total -o fig.pdf",
    ],
    "`windtunnel export CAMPAIGN -o runs.parquet`, `--format latex`": [
        "windtunnel export CAMPAIGN -o runs.parquet",
        "windtunnel export CAMPAIGN --format latex",
    ],
    "`windtunnel flows CAMPAIGN --percentile 99`": ["windtunnel flows CAMPAIGN --percentile 99"],
    "`windtunnel sensitivity CAMPAIGN --metric METRIC`": [
        "windtunnel sensitivity CAMPAIGN --metric goodput_mbps",
    ],
    "`windtunnel delete CAMPAIGN`": ["windtunnel delete CAMPAIGN"],
}


def test_commands_of_the_table(service: Service, workspace: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.split("## The command line")[1].split("\n\n")[1]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[2:]]
    assert set(rows) == set(COMMANDS)
    campaign = run_id = ""
    token = service.running.token
    environment = {"WINDTUNNEL_SERVER": service.url, "WINDTUNNEL_TOKEN": token}
    with shell(workspace, **environment) as bash:
        bash.run("sed -i 's/duration: 60s/duration: 1s/; s/start: 10s/start: 0.5s/' study.yaml")
        for commands in COMMANDS.values():
            for written in commands:
                command = re.sub(r"\bCAMPAIGN\b", campaign, written)
                bash.run(re.sub(r"\bRUN\b(?!\.)", run_id, command))
                if not campaign:
                    campaign = service.get("/campaigns", limit=1)["campaigns"][0]["id"]
                    run_id = service.runs(campaign)[0]["id"]


def test_inline_commands_exist() -> None:
    """Subcommands and options of every `windtunnel ...` and `make ...` in a sentence."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in pages():
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for written in re.findall(r"`((?:windtunnel|make) [a-z][^`]*)`", text):
            program, first, *words = shlex.split(re.sub(r"[][]", "", written))
            if program == "make":
                assert re.search(rf"^{first}( [^:]*)?:", makefile, re.MULTILINE), written
                continue
            command: Any = typer.main.get_command(app)
            for name in [first, *words]:
                if not hasattr(command, "commands"):
                    break
                assert name in command.commands, written
                command = command.commands[name]
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= known, written


# ------------------------------------------------------------------ what commands print


def shape(text: str) -> str:
    """Text with numbers, ids, times, ranks, verdicts and the width of columns masked."""
    text = re.sub(r"\(built [^)]*\)", "(built T)", text)
    text = re.sub(r"(ns3 |campaigns/|open |\"id\":\")[0-9a-f]{8,}", r"\1ID", text)
    text = re.sub(r"about (\d+ (h|min|s) ?)+", "about T ", text)
    text = re.sub(r"\b[\d.]+( [kMG])? events", "N events", text)
    text = re.sub(r"[-+]?\b\d[\d,.]*( % ± [\d,.]+)?", "N", text)
    text = re.sub(r"N in all N( seeds)?", "N ± N", text)
    text = re.sub(r"^\s*N=? +", "N ", text)
    text = re.sub(r"\b(better|worse|equivalent|inconclusive)(?=  | N|$)", "verdict", text)
    return re.sub(r" +", " ", text).strip()


def check_shown(shown: str, printed: str, ordered: bool = True) -> None:
    """Each line that a page shows is printed, in order; `...` stands for any number of lines."""
    wanted = [shape(line) for line in shown.splitlines()]
    lines = [shape(line) for line in printed.splitlines()]
    if not ordered:
        assert set(wanted) - {"..."} <= set(lines), printed
        return
    position = 0
    skipping = False
    for line in wanted:
        if line == "...":
            skipping = True
            continue
        rest = lines[position:] if skipping else lines[position : position + 1]
        assert line in rest, f"{line!r} is not printed:\n{printed}"
        position += rest.index(line) + 1
        skipping = False


def test_the_demo_prints_what_the_readme_shows(workspace: Path) -> None:
    command, _, shown = block("README.md", "$ make demo").text.partition("\n")
    assert command == "$ make demo"
    demo = re.search(r"^demo: .*\n\t@\$\(BIN\)/(.*) \$", (ROOT / "Makefile").read_text(), re.M)
    assert demo is not None
    program, *arguments = demo[1].split()
    assert arguments == ["run", QUICK]
    folders = new_data_folder()
    try:
        printed = in_terminal(
            [str(TOOLS / program), *arguments],
            TERMINAL_COLUMNS,
            {"WINDTUNNEL_DATA": str(folders.data), "PWD": str(workspace)},
        )
    finally:
        shutil.rmtree(folders.data)
    # Shorter runs than the page's rank the algorithms in another order.
    check_shown(shown, printed.replace(f" --data {folders.data}", ""), ordered=False)


def test_the_shape_of_output_is_compared() -> None:
    check_shown("a 1.5 ± 2\n...\nb 0 in all 3", "a 10 ± 0.2\nx\nb 5 ± 1")
    with pytest.raises(AssertionError):
        check_shown("a 1.5 ± 2\n...\nb 0 in all 3", "a 10\nx\nb 5 ± 1")


# ------------------------------------------------------------------ errors


def problems(text: str, service: Service, folder: Path) -> list[str]:
    """What `windtunnel run study.yaml` prints about a campaign with mistakes."""
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [TOOLS / "windtunnel", "run", "study.yaml", "--server", service.url],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    return done.stderr.splitlines()


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    for before, after in pairs:
        assert before in text
        text = text.replace(before, after, 1)
    return text


def test_errors_are_as_the_readme_shows_them(service: Service, tmp_path: Path) -> None:
    _, *shown = block("README.md", "$ windtunnel run study.yaml").text.splitlines()
    example = campaigns()["buffers-and-algorithms"]
    text = replaced(example, ("k: 4", "k: 5"), ("cubic", "cubik"))
    assert problems(text, service, tmp_path) == shown


def test_common_mistakes(service: Service, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    table = page.split("| instead of |")[1].splitlines()[2:]
    example = campaigns()["buffers-and-algorithms"]
    assert len(table) == 8
    for row in table:
        before, after, printed = (cell.strip().strip("`") for cell in row.strip("| ").split(" | "))
        assert problems(replaced(example, (before, after)), service, tmp_path)[0] == printed


# ------------------------------------------------------------------ paths


PACKAGE = ROOT / "windtunnel"
_PLACES = (ROOT, PACKAGE, PACKAGE / "spec", PACKAGE / "store", ROOT / "sim-images" / "ns3")


def test_paths_exist() -> None:
    """Targets of links, files that pages name in code, and those of the tree in architecture.md."""
    missing = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        links = re.findall(r"\]\(([^)#]+)[^)]*\)", text)
        missing += [
            link for link in links if "://" not in link and not (page.parent / link).exists()
        ]
        names = re.findall(r"`(\w[\w./-]*/[\w.-]+\.(?:py|cc|h|json|gz|yaml|md|txt))`", text)
        missing += [name for name in names if "NAME" not in name and not _exists(name)]
    tree = block("docs/architecture.md", "windtunnel/").text
    missing += [name for name in re.findall(r"[\w/-]+/|\w+\.py", tree) if not _exists(name)]
    assert missing == []


def _exists(name: str) -> bool:
    return any((place / name).exists() for place in _PLACES)
