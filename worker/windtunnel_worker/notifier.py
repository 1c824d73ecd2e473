"""Sends webhooks, in a thread beside the reconciler: a silent receiver must not delay leases."""

from __future__ import annotations

import logging
import threading
import time

from windtunnel.store import webhooks
from windtunnel.store.database import Database
from windtunnel.store.webhooks import Delivery
from windtunnel_worker.webhook_request import DeliveryError, post

log = logging.getLogger(__name__)


class Notifier:
    """Every worker with the secret sends; each delivery is claimed by one at a time."""

    def __init__(
        self,
        database: Database,
        secret: str,
        allow_private: bool,
        public_url: str,
        max_runs: int,
        interval_seconds: float,
    ) -> None:
        self._database = database
        self._secret = secret
        self._allow_private = allow_private
        self._public_url = public_url
        self._max_runs = max_runs
        self._interval_seconds = interval_seconds

    def start(self) -> None:
        """Start the thread, unless there is no secret to sign with. It ends with the process."""
        if self._secret:
            threading.Thread(target=self._run, name="webhooks", daemon=True).start()

    def send_next(self) -> bool:
        """Send a delivery that is due. Returns False if there is none. Raises WindtunnelError.

        A sender that is killed before the outcome is stored leaves the delivery to the next one.
        """
        with self._database.transaction() as session:
            delivery = webhooks.claim(session)
        if delivery is None:
            return False
        error = self._send(delivery)
        with self._database.transaction() as session:
            if error is None:
                webhooks.delivered(session, delivery)
            else:
                webhooks.failed(session, delivery, error)
        fields = {"delivery": delivery.id, "attempt": delivery.attempts}
        if error is None:
            log.info("webhook delivered", extra=fields)
        else:
            log.warning("webhook not delivered: %s", error, extra=fields)
        return True

    def _send(self, delivery: Delivery) -> str | None:
        """Send it; why it was not delivered, None if it was or its campaign is gone."""
        try:
            with self._database.transaction() as session:
                body = webhooks.body(session, delivery, self._public_url, self._max_runs)
            if body is not None:
                post(delivery.url, body, delivery.id, self._secret, self._allow_private)
            return None
        except DeliveryError as error:
            return str(error)
        except Exception:
            log.exception("a webhook could not be composed or sent")
            return "internal error; see the worker's log"

    def _run(self) -> None:
        while True:
            try:
                while self.send_next():
                    pass
            except Exception as error:  # the next round may succeed
                log.warning("webhooks are not sent, retrying: %s", error)
            time.sleep(self._interval_seconds)
