"""Errors as problem+json (RFC 9457): the one place from class to status."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from windtunnel import errors
from windtunnel_api.schemas import ProblemDocument

log = logging.getLogger(__name__)

STATUS: Mapping[type[errors.WindtunnelError], int] = {
    errors.SpecError: 422,
    errors.QuantityError: 422,
    errors.BodyTooLargeError: 413,
    errors.UnsupportedMediaTypeError: 415,
    errors.NotFoundError: 404,
    errors.ConflictError: 409,
    errors.ForeignOriginError: 403,
    errors.UnauthenticatedError: 401,
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
    """A problem document; ``errors`` lists every field that is wrong."""
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


def of_error(error: errors.WindtunnelError) -> JSONResponse:
    """The response that an error of ours becomes."""
    status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)
    headers = _HEADERS.get(status)
    listed = None
    if isinstance(error, errors.SpecError):
        listed = [
            {"path": one.path, "message": one.message, "line": one.line} for one in error.problems
        ]
    return problem(status, error.code, str(error), listed, headers)


def install(app: FastAPI) -> None:
    """Make every error of the app a problem document."""

    @app.exception_handler(errors.WindtunnelError)
    def own(_: Request, error: errors.WindtunnelError) -> JSONResponse:
        return of_error(error)

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> JSONResponse:
        known = {
            404: ("not_found", f"there is nothing at {request.url.path}"),
            405: ("method_not_allowed", f"{request.method} is not possible here"),
        }
        code, detail = known.get(error.status_code, ("http_error", str(error.detail)))
        return problem(error.status_code, code, detail, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    def validation(_: Request, error: RequestValidationError) -> JSONResponse:
        listed = [
            {
                "path": ".".join(str(part) for part in one["loc"]),
                "message": one["msg"],
                "line": None,
            }
            for one in error.errors()
        ]
        detail = "; ".join(f"{one['path']}: {one['message']}" for one in listed)
        return problem(422, "invalid_request", detail, listed)

    @app.exception_handler(Exception)
    def unexpected(_: Request, error: Exception) -> JSONResponse:
        log.error("unexpected", exc_info=error)
        return problem(500, "internal_error", "the service made a mistake; its log says more")


def document(app: FastAPI) -> None:
    """Say in the OpenAPI document that every operation's errors are problem documents."""
    generate = app.openapi

    def with_problems() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = generate()
            components = schema.setdefault("components", {}).setdefault("schemas", {})
            for name in ("HTTPValidationError", "ValidationError"):
                components.pop(name, None)
            own = ProblemDocument.model_json_schema(ref_template="#/components/schemas/{model}")
            components |= own.pop("$defs", {})
            components["ProblemDocument"] = own
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
