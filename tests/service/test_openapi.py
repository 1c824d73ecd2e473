"""Valid and invalid requests are answered as the OpenAPI document says."""

from __future__ import annotations

import json
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Err, Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.conftest import ROOT, Service
from windtunnel_api.openapi import document

CHECKS = (
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)


def operations() -> list[Any]:
    """Every operation of the document but the endless event stream."""
    schema = schemathesis.openapi.from_dict(json.loads(document()))
    results = list(schema.get_all_operations())
    assert not [result.err() for result in results if isinstance(result, Err)]
    documented = [result.ok() for result in results if isinstance(result, Ok)]
    return [operation for operation in documented if not operation.path.endswith("/events")]


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.label)
def test_answers_as_documented(service: Service, operation: Any) -> None:
    @given(case=operation.as_strategy())
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    def holds(case: Any) -> None:
        case.call_and_validate(base_url=service.url, checks=CHECKS)

    holds()


def test_the_pages_types_are_made_from_this_api() -> None:
    assert (ROOT / "web" / "openapi.json").read_text(encoding="utf-8") == document()
