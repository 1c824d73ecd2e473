"""Webhooks: which URLs may be called, how requests are signed, and when they are tried again."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import random
import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

MIN_SECRET_LENGTH = 16
MAX_URL_LENGTH = 2000
GIVE_UP_SECONDS = 24 * 3600.0
_FIRST_DELAY_SECONDS = 10.0
_MAX_DELAY_SECONDS = 3600.0
_PRINTABLE = re.compile(r"[!-~]+", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", re.ASCII)
_PORTS = {"http": 80, "https": 443}
# What is not public beside what `ipaddress` knows, whose tables differ between Python's releases;
# from IANA's registries of special-purpose addresses.
_SPECIAL = [
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments (RFC 6890); Oracle's older metadata service
        "192.88.99.0/24",  # relays of 6to4 (RFC 7526)
        "168.63.129.16/32",  # Azure's metadata service has a public address
        "64:ff9b::/96",  # translates to IPv4 (RFC 6052): what is behind it may be private
        "64:ff9b:1::/48",  # likewise, within a network (RFC 8215)
        "100:0:0:1::/64",  # a dummy prefix (RFC 9780)
        "2001::/23",  # protocol assignments (RFC 2928), Teredo among them
        "2002::/16",  # 6to4 (RFC 3056): contains an IPv4 address
        "3fff::/20",  # documentation (RFC 9637)
        "5f00::/16",  # segment routing (RFC 9602)
    )
]


class Event(StrEnum):
    """What a webhook tells about a campaign."""

    ENDED = "campaign.ended"
    CANCELLED = "campaign.cancelled"


@dataclass(frozen=True)
class Target:
    """Where a request goes. ``host`` is a name or an address, without brackets."""

    tls: bool
    host: str
    port: int
    path: str
    authority: str


def parse_url(url: str) -> Target:
    """The target of a webhook's URL. Raises ValueError with what is wrong with it."""
    if len(url) > MAX_URL_LENGTH:
        raise ValueError(f"{len(url)} characters; at most {MAX_URL_LENGTH} are allowed")
    if not _PRINTABLE.fullmatch(url):
        raise ValueError("a URL has ASCII characters without spaces; encode others")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"not a URL: {error}") from error
    if parts.scheme not in _PORTS:
        raise ValueError("expected a URL that begins with https:// or http://")
    if "@" in parts.netloc:
        raise ValueError("a URL must not have credentials: everybody with a token can read it")
    if parts.fragment:
        raise ValueError("a URL must not have a fragment (#...)")
    name = parts.netloc if port is None else parts.netloc.rpartition(":")[0]
    if not _HOST.fullmatch(name) or not parts.hostname or port == 0:
        raise ValueError("expected a URL such as https://ci.example.org/hook")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(
        parts.scheme == "https", parts.hostname, port or _PORTS[parts.scheme], path, parts.netloc
    )


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public Internet, and no cloud's metadata service."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return is_public(str(ip.ipv4_mapped))
        if ip.scope_id or ip.is_site_local:
            return False
    if ip.is_multicast or ip.is_reserved or any(ip in network for network in _SPECIAL):
        return False
    return ip.is_global


def is_address(host: str) -> bool:
    """Whether a URL's host is an IP address rather than a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """The header X-Windtunnel-Signature: HMAC-SHA256 over ``timestamp.body``."""
    signed = str(timestamp).encode() + b"." + body
    return f"t={timestamp},v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def retry_delay(attempts: int) -> float:
    """Seconds until the next attempt: 10 s, doubling up to an hour, up to a quarter more."""
    # The exponent is bounded: a float overflows after a thousand attempts.
    delay = min(_FIRST_DELAY_SECONDS * 2.0 ** min(attempts - 1, 20), _MAX_DELAY_SECONDS)
    return delay * (1 + random.random() / 4)  # noqa: S311  (spreads retries)
