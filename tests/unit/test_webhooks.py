"""URLs, addresses, signatures and retries of webhooks, and the field ``notify``."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.conftest import tiny_campaign
from tests.docs.blocks import block
from tests.plans import plan_of, problems_of
from windtunnel.errors import SpecError
from windtunnel.settings import Settings
from windtunnel.spec.description import Description
from windtunnel.webhooks import Target, is_public, parse_url, retry_delay, signature
from windtunnel_api.notifications import check_notify

SECRET = "0123456789abcdef"
URL = "https://ci.example.org/hook"


def notifying(url: str = URL) -> dict[str, Any]:
    return {**tiny_campaign(), "notify": {"url": url}}


def test_parts_of_a_url() -> None:
    assert parse_url("https://CI.example.org/a?b=c") == Target(
        True, "ci.example.org", 443, "/a?b=c", "CI.example.org"
    )
    assert parse_url("http://[2001:db8::1]:8080") == Target(
        False, "2001:db8::1", 8080, "/", "[2001:db8::1]:8080"
    )


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://example.org/", "begins with https:// or http://"),
        ("example.org/hook", "begins with https:// or http://"),
        ("https://user:password@example.org/", "must not have credentials"),
        ("https://example.org/#part", "must not have a fragment"),
        ("https://example.org/a b", "without spaces"),
        ("https://example.org/\r\nHost: other", "without spaces"),
        ("https://exämple.org/", "ASCII characters"),
        ("https://example.org:port/", "not a URL"),
        ("https://example.org:0/", "expected a URL such as"),
        ("https://[fe80::1%25eth0]/", "expected a URL such as"),
        ("https://example.org\\@127.0.0.1/", "must not have credentials"),
        ("https:///hook", "expected a URL such as"),
        ("https://[::1/", "not a URL"),
    ],
)
def test_other_urls_are_problems_of_the_field(tiny: Description, url: str, message: str) -> None:
    (problem,) = problems_of(tiny, notifying(url))
    assert problem.path == "notify.url"
    assert message in problem.message


def test_notify_has_a_url_only(tiny: Description) -> None:
    campaign = plan_of(tiny, notifying()).campaign
    assert campaign.notify_url == URL
    assert plan_of(tiny, tiny_campaign()).campaign.notify_url is None
    for value, path in (({"uri": URL}, "notify.uri"), ("x", "notify"), ({"url": 1}, "notify.url")):
        assert problems_of(tiny, {**tiny_campaign(), "notify": value})[0].path == path


def test_a_webhook_is_not_part_of_a_runs_identity(tiny: Description) -> None:
    with_it, without = plan_of(tiny, notifying()), plan_of(tiny, tiny_campaign())
    assert [run for *_, run in with_it.runs()] == [run for *_, run in without.runs()]


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34", "1.1.1.1", "191.255.255.255", "192.0.1.1", "192.88.98.255", "192.88.100.0",
        "2606:4700::1111", "2001:200::1", "3ffe:ffff::1",
    ],
)  # fmt: skip
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "10.0.0.5", "172.16.0.1", "192.168.1.1",
        "100.64.0.1", "100.100.100.200", "169.254.169.254", "168.63.129.16", "224.0.0.1",
        "239.1.2.3", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "fe80::1",
        "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
        "2001:0:53aa:64c::1", "192.0.0.9", "192.0.0.192", "192.0.0.255", "192.88.99.1", "3fff::1",
        "3fff:fff:ffff::1", "64:ff9b:1::7f00:1", "2001:1::1", "2001:20::1", "100:0:0:1::1",
        "5f00::1", "::ffff:192.0.0.192", "fd20:ce::254", "fd00:c1::a9fe:a9fe",
    ],
)  # fmt: skip
def test_other_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


def test_a_service_without_a_secret_refuses_notify(tiny: Description) -> None:
    check_notify(plan_of(tiny, tiny_campaign()), Settings())
    with pytest.raises(SpecError, match="it has no WINDTUNNEL_WEBHOOK_SECRET") as caught:
        check_notify(plan_of(tiny, notifying()), Settings())
    assert caught.value.problems[0].path == "notify"


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254"])
def test_private_literals_are_refused_at_submission(tiny: Description, host: str) -> None:
    plan = plan_of(tiny, notifying(f"http://{host}/"))
    with pytest.raises(SpecError, match="is not a public address") as caught:
        check_notify(plan, Settings(webhook_secret=SECRET))
    assert caught.value.problems[0].path == "notify.url"
    check_notify(plan, Settings(webhook_secret=SECRET, webhook_allow_private=1))
    check_notify(plan_of(tiny, notifying()), Settings(webhook_secret=SECRET))


def test_a_short_secret_is_no_setting() -> None:
    with pytest.raises(ValueError, match="WINDTUNNEL_WEBHOOK_SECRET: 15 characters; at least 16"):
        Settings.from_environment({"WINDTUNNEL_WEBHOOK_SECRET": SECRET[:-1]})
    assert Settings.from_environment({"WINDTUNNEL_WEBHOOK_SECRET": SECRET}).webhook_secret == SECRET


def test_delays_double_up_to_an_hour() -> None:
    for attempts, seconds in ((1, 10), (2, 20), (3, 40), (9, 2560), (10, 3600), (5000, 3600)):
        for _ in range(20):
            assert seconds <= retry_delay(attempts) <= 1.25 * seconds


def test_the_documented_check_of_a_signature() -> None:
    names: dict[str, Any] = {}
    exec(block("docs/webhooks.md", "import hashlib").text, names)
    is_authentic, now = names["is_authentic"], int(time.time())
    header = signature(SECRET, now, b'{"a": 1}')
    assert is_authentic(header, b'{"a": 1}', SECRET)
    assert not is_authentic(header, b'{"a": 2}', SECRET)
    assert not is_authentic(header, b'{"a": 1}', "another secret!!")
    assert not is_authentic(header.replace(str(now), str(now - 1)), b'{"a": 1}', SECRET)
    assert not is_authentic(signature(SECRET, now - 301, b"{}"), b"{}", SECRET)  # replayed later
