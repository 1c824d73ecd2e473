"""User-visible errors. Each class has a stable code; messages say what is allowed.

The API maps classes to HTTP status codes in one place, the command line to exit codes in one place.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_MAX_QUOTED = 200


def quoted(value: Any) -> str:
    """A value for a message, as a campaign file would write it: ``'cubik'``, ``true``, ``null``."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}..."


@dataclass(frozen=True)
class Problem:
    """One problem in a submission.

    ``path`` is the dotted path of the field (``scenario.topology.k``). ``line`` is its line in the
    file, counted from 1, or None without a file.
    """

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class WindtunnelError(Exception):
    """Base of all errors that are reported to users."""

    code = "internal_error"


class SpecError(WindtunnelError):
    """The submission is invalid. Carries every problem, not only the first."""

    code = "invalid_spec"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle, which calls the class with the message otherwise."""
        return type(self), (self.problems,)


class InvalidRequestError(SpecError):
    """A query parameter of the request is malformed or unknown. Carries every problem."""

    code = "invalid_request"


class NothingInCommonError(SpecError):
    """Two campaigns are to be compared of which no cells match."""

    code = "nothing_in_common"


class QuantityError(ValueError):
    """The text is not a quantity of the expected dimension; users see a Problem of its field."""


class BodyTooLargeError(WindtunnelError):
    """The request body exceeds the size limit."""

    code = "body_too_large"


class UnsupportedMediaTypeError(WindtunnelError):
    """The request body is neither JSON nor YAML."""

    code = "unsupported_media_type"


class NotFoundError(WindtunnelError):
    """The resource does not exist, or an abbreviated id is ambiguous."""

    code = "not_found"


class PrunedError(WindtunnelError):
    """The data existed and was removed by a retention policy."""

    code = "pruned"


class ConflictError(WindtunnelError):
    """The request conflicts with the current state of the resource."""

    code = "conflict"


class QuotaExceededError(WindtunnelError):
    """More than the submitter's quota allows; the message has the numbers."""

    code = "quota_exceeded"


class ForeignOriginError(WindtunnelError):
    """The page that sent the request is of another site."""

    code = "foreign_origin"


class UnauthenticatedError(WindtunnelError):
    """The token is missing, unknown, revoked or expired, or the session has ended."""

    code = "unauthenticated"


class TooManyFailuresError(WindtunnelError):
    """Too many requests with a wrong token. ``retry_after`` is in seconds."""

    code = "too_many_failures"

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RequestTimeoutError(WindtunnelError):
    """The request did not arrive in time."""

    code = "request_timeout"


class ForbiddenError(WindtunnelError):
    """The token's scope does not allow this, or the resource is somebody else's."""

    code = "forbidden"


class DamagedFileError(WindtunnelError):
    """A file that was saved by windtunnel can't be read again."""

    code = "damaged_file"


class OtherVersionError(WindtunnelError):
    """A file was saved by another version of windtunnel, whose content this one can't read."""

    code = "other_version"


class StorageRefusedError(WindtunnelError):
    """PostgreSQL rejected a statement; a retry would fail as well."""

    code = "storage_refused"


class UnavailableError(WindtunnelError):
    """PostgreSQL, Redis or the service can't be reached."""

    code = "unavailable"


class UntrustedServerError(UnavailableError):
    """PostgreSQL or Redis was reached, but its certificate or the lack of TLS is not accepted.

    A retry fails as well until a certificate or a URL is corrected.
    """


class ProtocolError(WindtunnelError):
    """A worker and the database are of different versions."""

    code = "protocol_mismatch"


class ContractError(WindtunnelError):
    """A simulator's output violates the record stream contract."""

    code = "invalid_result"

    def __init__(self, message: str, outdated: bool = False) -> None:
        """``outdated``: it keeps an earlier version of the contract."""
        super().__init__(message)
        self.outdated = outdated


class SimulationError(WindtunnelError):
    """A simulation that was executed on this machine failed."""

    code = "simulation_failed"


class RefusedError(WindtunnelError):
    """The service rejected a request. Carries the service's error code and message."""

    def __init__(self, code: str, detail: str) -> None:
        self.code = code
        super().__init__(detail)
