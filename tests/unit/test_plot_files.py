"""Files of figures: fonts, sizes, metadata, and the same bytes for the same data."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.text import Text

from tests.unit.answers import ID, Answers, incast
from windtunnel.errors import InvalidRequestError, UnavailableError
from windtunnel.plot import PlotRequest, check_installed, draw, save

LITERAL = 'a$b$_x^2 "50%" = {c} \\alpha'


def inflated(pdf: bytes) -> bytes:
    """A PDF with its streams decompressed."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    parts = []
    for stream in streams:
        try:
            parts.append(zlib.decompress(stream))
        except zlib.error:
            parts.append(stream)
    return pdf + b"".join(parts)


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png"])
def test_equal_data_give_equal_bytes(tmp_path: Path, suffix: str) -> None:
    files = [tmp_path / f"{name}.{suffix}" for name in ("first", "second")]
    for file in files:
        save(draw(incast().get, "504d", PlotRequest()), file)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert len(first) > 5000


def test_a_figure_can_be_saved_twice(tmp_path: Path) -> None:
    figure = draw(incast().get, "504d", PlotRequest())
    save(figure, tmp_path / "a.pdf")
    save(figure, tmp_path / "a.png")
    save(figure, tmp_path / "b.pdf")
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_a_pdf_embeds_truetype_fonts_and_has_its_size(tmp_path: Path) -> None:
    save(draw(incast().get, "504d", PlotRequest(width="page")), tmp_path / "figure.pdf")
    content = inflated((tmp_path / "figure.pdf").read_bytes())
    assert b"/FontFile2" in content
    assert b"/Type3" not in content
    [box] = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", content)
    assert [float(side) / 72 for side in box] == pytest.approx([7.0, 2.1], abs=0.01)
    assert b"CreationDate" not in content


def test_files_name_the_campaign_and_the_command(tmp_path: Path) -> None:
    request = PlotRequest(x="servers", y=("goodput_mbps",))
    command = f"windtunnel plot {ID} --x servers --y goodput_mbps -o figure.pdf"
    figure = draw(incast().get, "504d", request)
    for suffix in ("pdf", "svg", "png"):
        save(figure, tmp_path / f"figure.{suffix}")
        content = (tmp_path / f"figure.{suffix}").read_bytes()
        assert command.encode() in content
        assert f"campaign {ID}".encode() in content


def test_an_svg_has_its_text_as_paths(tmp_path: Path) -> None:
    save(draw(incast().get, "504d", PlotRequest()), tmp_path / "figure.svg")
    content = (tmp_path / "figure.svg").read_text()
    assert "<text" not in content
    assert 'width="239.76pt" height="151.2pt"' in content


def test_a_png_has_the_resolution_asked_for(tmp_path: Path) -> None:
    save(draw(incast().get, "504d", PlotRequest(dpi=600)), tmp_path / "figure.png")
    header = (tmp_path / "figure.png").read_bytes()[16:24]
    assert struct.unpack(">II", header) == (1998, 1260)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("figure.jpg", "output: '.jpg' is not a format of figures; use .pdf, .svg or .png"),
        ("figure", "output: a name without a suffix is not a format"),
    ],
)
def test_other_formats_are_refused(tmp_path: Path, name: str, message: str) -> None:
    figure = draw(incast().get, "504d", PlotRequest())
    with pytest.raises(InvalidRequestError) as caught:
        save(figure, tmp_path / name)
    assert str(caught.value).startswith(message)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png"])
def test_labels_are_drawn_as_they_are_written(tmp_path: Path, suffix: str) -> None:
    answers = Answers(
        {"algorithm": [LITERAL, "cubic"], "servers": ["1", "2", "4"]},
        {"goodput_mbps": lambda labels: (float(labels["servers"]), 0.1)},
    )
    figure = draw(answers.get, "504d", PlotRequest(title=LITERAL, x_title=LITERAL, y_title="$y$"))
    literal = [text for text in figure.findobj(Text) if text.get_text() == LITERAL]
    assert len(literal) >= 3
    assert not any(text.get_parse_math() for text in literal)
    save(figure, tmp_path / f"figure.{suffix}")


def test_the_users_matplotlibrc_changes_nothing(tmp_path: Path) -> None:
    save(draw(incast().get, "504d", PlotRequest()), tmp_path / "plain.pdf")
    with mpl.rc_context({"axes.facecolor": "black", "font.size": 20, "pdf.fonttype": 3}):
        save(draw(incast().get, "504d", PlotRequest()), tmp_path / "other.pdf")
        assert mpl.rcParams["font.size"] == 20
    assert (tmp_path / "plain.pdf").read_bytes() == (tmp_path / "other.pdf").read_bytes()


def test_without_matplotlib_one_line_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UnavailableError) as caught:
        check_installed()
    assert str(caught.value) == (
        "figures need matplotlib, which is not installed; install it with: "
        "pip install 'windtunnel[plot]'"
    )


def test_the_package_is_imported_without_matplotlib() -> None:
    code = (
        "import sys, windtunnel.plot, windtunnel.cli.plotting; print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
