"""Every error that a user can meet: a stable code, and a message that says what would be right.

The API maps classes to HTTP status in one place, the command line to exit codes in one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing wrong with what was submitted.

    ``path`` is the dotted path of the field (``scenario.topology.k``), ``line`` its line in the
    file, counted from 1, where a file is known.
    """

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class WindtunnelError(Exception):
    """Base of all errors that are told to users."""

    code = "internal_error"


class SpecError(WindtunnelError):
    """What was submitted can't be run. Carries every problem found, not only the first."""

    code = "invalid_spec"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(str(problem) for problem in self.problems))


class QuantityError(WindtunnelError):
    """A text that is no quantity of the dimension asked for."""

    code = "invalid_quantity"


class BodyTooLargeError(WindtunnelError):
    """A request's body is over the limit."""

    code = "body_too_large"


class UnsupportedMediaTypeError(WindtunnelError):
    """A request's body is neither JSON nor YAML."""

    code = "unsupported_media_type"


class NotFoundError(WindtunnelError):
    """There is no such thing, or an abbreviated id fits several."""

    code = "not_found"


class ConflictError(WindtunnelError):
    """The request contradicts the state of the thing it is about."""

    code = "conflict"


class ForeignOriginError(WindtunnelError):
    """A request with a Host or Origin that is not this machine's, refused on loopback."""

    code = "foreign_origin"


class UnauthenticatedError(WindtunnelError):
    """A token is needed, and there is none, or it is unknown or revoked."""

    code = "unauthenticated"


class ForbiddenError(WindtunnelError):
    """The token's scope does not allow this."""

    code = "forbidden"


class StorageRefusedError(WindtunnelError):
    """PostgreSQL does not take what was to be written; trying again would not help."""

    code = "storage_refused"


class UnavailableError(WindtunnelError):
    """PostgreSQL, Redis or the service itself can't be reached."""

    code = "unavailable"


class ContractError(WindtunnelError):
    """A simulator's output breaks the record stream contract."""

    code = "invalid_result"


class SimulationError(WindtunnelError):
    """A simulation that was run by hand failed."""

    code = "simulation_failed"
