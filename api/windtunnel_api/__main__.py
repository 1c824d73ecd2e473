"""``python -m windtunnel_api``: serve the API on its address or on an inherited socket."""

from __future__ import annotations

import argparse
import sys

import uvicorn

from windtunnel import logs
from windtunnel.errors import StorageRefusedError, UnavailableError, UntrustedServerError
from windtunnel.settings import Settings
from windtunnel.store.database import Database
from windtunnel.store.tokens import has_admin
from windtunnel_api.connections import server_options


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fd", type=int, help="listening socket to use instead of an address")
    arguments = parser.parse_args()
    settings = Settings.from_environment()
    logs.configure(settings.log_level, settings.log_format)
    error = startup_error(settings)
    if error:
        sys.exit(error)
    uvicorn.run(
        "windtunnel_api.app:create_app",
        factory=True,
        host=settings.address,
        port=settings.port,
        fd=arguments.fd,
        log_config=None,
        access_log=False,  # windtunnel_api.request_log has a line of its own for each request
        timeout_graceful_shutdown=1,
        **server_options(),
    )


def startup_error(settings: Settings) -> str | None:
    """Why the service must not start with these settings, or None."""
    database = Database(settings.database_url, pool_size=1)
    try:
        with database.transaction() as session:
            if has_admin(session):
                return None
    except StorageRefusedError:
        return "the database has no tables; run python -m windtunnel.store.setup"
    except UntrustedServerError as error:
        return str(error)
    except UnavailableError:
        return None  # requests get a 503 response until PostgreSQL is available
    finally:
        database.close()
    return (
        "there is no valid admin token, so nobody could use the service: set "
        "WINDTUNNEL_BOOTSTRAP_TOKEN and run python -m windtunnel.store.setup"
    )


if __name__ == "__main__":
    main()
