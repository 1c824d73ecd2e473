"""Errors as problem+json (RFC 9457), and the mapping from error class to HTTP status."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match

from windtunnel import errors
from windtunnel.suggestions import nearest
from windtunnel.validation import message_of
from windtunnel_api.schemas import ProblemDocument

log = logging.getLogger(__name__)

STATUS: Mapping[type[errors.WindtunnelError], int] = {
    errors.SpecError: 422,
    errors.BodyTooLargeError: 413,
    errors.UnsupportedMediaTypeError: 415,
    errors.NotFoundError: 404,
    errors.PrunedError: 410,
    errors.ConflictError: 409,
    errors.QuotaExceededError: 409,
    errors.ForeignOriginError: 403,
    errors.UnauthenticatedError: 401,
    errors.RequestTimeoutError: 408,
    errors.TooManyFailuresError: 429,
    errors.ForbiddenError: 403,
    errors.UnavailableError: 503,
}
RETRY_AFTER_SECONDS = 5
_HEADERS = {
    401: {"WWW-Authenticate": 'Bearer realm="windtunnel"'},
    503: {"Retry-After": str(RETRY_AFTER_SECONDS)},
}


def problem(
    status: int,
    code: str,
    detail: str,
    problems: list[dict[str, Any]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """A problem document; ``errors`` lists every invalid field."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
    }
    if problems:
        body["errors"] = problems
    return JSONResponse(
        body, status, media_type="application/problem+json", headers=dict(headers or {})
    )


def error_response(error: errors.WindtunnelError, close: bool = False) -> JSONResponse:
    """The response for a WindtunnelError; with ``close`` the last one of its connection."""
    status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)
    headers = dict(_HEADERS.get(status, {}))
    if isinstance(error, errors.TooManyFailuresError):
        headers["Retry-After"] = str(error.retry_after)
    if close:
        headers["Connection"] = "close"
    fields = None
    if isinstance(error, errors.SpecError):
        fields = [
            {"path": field.path, "message": field.message, "line": field.line}
            for field in error.problems
        ]
    return problem(status, error.code, str(error), fields, headers)


def install(app: FastAPI) -> None:
    """Install exception handlers that respond with problem documents."""

    @app.exception_handler(errors.WindtunnelError)
    def windtunnel_error(_: Request, error: errors.WindtunnelError) -> JSONResponse:
        return error_response(error)

    @app.exception_handler(HTTPException)
    def http_error(request: Request, error: HTTPException) -> JSONResponse:
        messages = {
            404: ("not_found", f"no such path: {request.url.path}"),
            405: ("method_not_allowed", f"{request.url.path} does not support {request.method}"),
        }
        code, detail = messages.get(error.status_code, ("http_error", str(error.detail)))
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_allowed_methods(request))
        return problem(error.status_code, code, detail, headers=headers)

    @app.exception_handler(RequestValidationError)
    def validation_error(request: Request, error: RequestValidationError) -> JSONResponse:
        known = _body_fields(request)
        fields = [_invalid_field(field, error.body, known) for field in error.errors()]
        detail = "; ".join(f"{field['path']}: {field['message']}" for field in fields)
        return problem(422, "invalid_request", detail, fields)

    @app.exception_handler(Exception)
    def unexpected_error(_: Request, error: Exception) -> JSONResponse:
        log.error("unexpected error", exc_info=error)
        return problem(500, "internal_error", "internal error; see the service log")


def _allowed_methods(request: Request) -> list[str]:
    """The methods of all routes with this path (RFC 9110, section 15.5.6)."""
    methods: set[str] = set()
    for method in ("DELETE", "GET", "PATCH", "POST", "PUT"):
        scope = {**request.scope, "method": method}
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.router.routes):
            methods.add(method)
    return sorted(methods)


def _body_fields(request: Request) -> list[str]:
    """Names of the fields that the route's body can have."""
    parameters = request.scope["route"].dependant.body_params
    models = [parameter.field_info.annotation for parameter in parameters]
    return [name for model in models for name in getattr(model, "model_fields", {})]


def _invalid_field(field: Mapping[str, Any], body: Any, known: list[str]) -> dict[str, Any]:
    """A field of the ``errors`` list; a syntax error of the body has its line and column."""
    if field["type"] == "json_invalid" and isinstance(body, str):
        before = body[: int(field["loc"][1])]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        reason = field.get("ctx", {}).get("error", field["msg"])
        message = f"not JSON: {reason} at line {line}, column {column}"
        return {"path": "body", "message": message, "line": line}
    path = ".".join(str(part) for part in field["loc"])
    message = message_of(field)
    if field["type"] == "extra_forbidden":
        hint = nearest(str(field["loc"][-1]), known) or f"; known: {', '.join(known)}"
        message = f"unknown field{hint}"
    return {"path": path, "message": message, "line": None}


def document(app: FastAPI) -> None:
    """Describe error responses as problem documents in the OpenAPI document."""
    generate = app.openapi

    def with_problems() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = generate()
            components = schema.setdefault("components", {}).setdefault("schemas", {})
            for name in ("HTTPValidationError", "ValidationError"):
                components.pop(name, None)
            model = ProblemDocument.model_json_schema(ref_template="#/components/schemas/{model}")
            components |= model.pop("$defs", {})
            components["ProblemDocument"] = model
            for path in schema["paths"].values():
                for operation in path.values():
                    operation["responses"].pop("422", None)
                    operation["responses"]["default"] = _PROBLEM_RESPONSE
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = with_problems  # type: ignore[method-assign]


_PROBLEM_RESPONSE = {
    "description": "Problem details (RFC 9457).",
    "content": {
        "application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}
    },
}
