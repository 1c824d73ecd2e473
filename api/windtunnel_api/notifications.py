"""What a service needs and allows for the field ``notify``."""

from __future__ import annotations

from windtunnel.errors import Problem, SpecError
from windtunnel.plan import Plan
from windtunnel.settings import Settings
from windtunnel.webhooks import is_address, is_public, parse_url


def check_notify(plan: Plan, settings: Settings) -> None:
    """Raise SpecError if this service does not call the plan's webhook.

    Names are resolved, and checked, when they are called.
    """
    url = plan.campaign.notify_url
    if url is None:
        return
    host = parse_url(url).host
    if not settings.webhook_secret:
        message = "this service sends no webhooks: it has no WINDTUNNEL_WEBHOOK_SECRET"
        raise SpecError([Problem("notify", message)])
    if is_address(host) and not is_public(host) and not settings.webhook_allow_private:
        message = f"{host} is not a public address; this service calls public ones only"
        raise SpecError([Problem("notify.url", message)])
