"""Labels in campaign files and as NAME=VALUE."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.conftest import tiny_campaign
from tests.plans import plan_of, problems_of
from windtunnel.labels import parse_labels
from windtunnel.spec.campaign import campaign_schema
from windtunnel.spec.description import Description


def test_labels_of_a_campaign_file(tiny: Description) -> None:
    labels = {"branch": "feature/fast-2_b.c", "commit": "0" * 63}
    assert plan_of(tiny, {**tiny_campaign(), "labels": labels}).campaign.labels == labels
    assert plan_of(tiny, tiny_campaign()).campaign.labels == {}


@pytest.mark.parametrize(
    ("labels", "path", "message"),
    [
        ({"branch": "two words"}, "labels.branch", "'two words' is not a label's value; use 1 to"),
        ({"branch": ""}, "labels.branch", "'' is not a label's value"),
        ({"branch": "a" * 64}, "labels.branch", f"'{'a' * 64}' is not a label's value"),
        ({"commit": 12}, "labels.commit", "12 is not a text; write it in quotes"),
        ({"draft": True}, "labels.draft", "true is not a text; write it in quotes"),
        ({"a b": "x"}, "labels.a b", "'a b' is not a label's name"),
        (["branch"], "labels", '["branch"] is not a mapping of fields'),
        ({f"n{n}": "x" for n in range(21)}, "labels", "21 labels; at most 20 are allowed"),
    ],
)
def test_errors_name_the_label(tiny: Description, labels: Any, path: str, message: str) -> None:
    (problem,) = problems_of(tiny, {**tiny_campaign(), "labels": labels})
    assert problem.path == path
    assert problem.message.startswith(message)


def test_the_published_schema_knows_labels(tiny: Description) -> None:
    validator = Draft202012Validator(campaign_schema(tiny.scenario_schema))
    assert validator.is_valid({**tiny_campaign(), "labels": {"branch": "main"}})
    assert not validator.is_valid({**tiny_campaign(), "labels": {"branch": "two words"}})
    assert not validator.is_valid({**tiny_campaign(), "labels": {"branch": 12}})


def test_labels_as_name_and_value() -> None:
    assert parse_labels(["branch=main", "commit=a.b/c"], "label") == (
        {"branch": "main", "commit": "a.b/c"},
        [],
    )


@pytest.mark.parametrize("text", ["branch", "=main", "branch=", "a=b=c", "branch=a b", "ä=b", ""])
def test_other_texts_are_no_labels(text: str) -> None:
    labels, (problem,) = parse_labels([text], "label")
    assert labels == {}
    assert "is not a label such as branch=main" in problem.message


def test_a_label_has_one_value() -> None:
    _, (problem,) = parse_labels(["branch=a", "branch=b"], "label")
    assert problem.message == "label 'branch' is given twice, as 'a' and 'b'"
