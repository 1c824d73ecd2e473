"""``python -m windtunnel.store.setup``: migrate the schema and create the bootstrap token."""

from __future__ import annotations

import sys

from windtunnel.errors import WindtunnelError
from windtunnel.resources import resource
from windtunnel.settings import Settings
from windtunnel.store.database import Database, migrate
from windtunnel.store.tokens import create_bootstrap_token


def main() -> int:
    settings = Settings.from_environment()
    migrate(settings.database_url, resource("migrations"))
    if settings.bootstrap_token:
        database = Database(settings.database_url, pool_size=1)
        try:
            with database.transaction() as session:
                created = create_bootstrap_token(session, settings.bootstrap_token)
        except WindtunnelError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        finally:
            database.close()
        sys.stdout.write(
            "bootstrap token created\n" if created else "no bootstrap token: tokens exist already\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
