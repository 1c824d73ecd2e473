"""A worker on another host: a network namespace with a Docker Engine of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chaos.second_host import SecondHost
from chaos.stack import Stack, bridge_address, docker
from tests.conftest import FAT_TREE, ROOT

PORTS = (8390, 15390, 16390)
FILES = ("docker-compose.yml", "docker-compose.hosts.yml")
# An address of the first host that is not in its certificates.
OTHER_ADDRESS = "10.213.78.1"


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    variables = {"WINDTUNNEL_PRIVATE": bridge_address(), "WINDTUNNEL_SLOTS": "2"}
    variables["WINDTUNNEL_LEASE_SECONDS"] = "5"
    with Stack("windtunnel-test-hosts", FILES, PORTS, variables) as stack:
        stack.compose("build", "--quiet")
        stack.up()
        yield stack


@pytest.fixture(scope="module")
def second() -> Iterator[SecondHost]:
    with SecondHost() as second:
        yield second


def test_a_second_host_joins_with_one_command_and_takes_its_share(
    stack: Stack, second: SecondHost
) -> None:
    second.start_engine()
    second.join(stack)
    study = {
        "name": "two hosts",
        "simulator": "ns3",
        "scenario": FAT_TREE,
        "sweep": {"algorithm": ["newreno", "cubic", "vegas"]},
        "replications": 8,
    }
    campaign = stack.submit(study)
    assert stack.wait(campaign, 180)["runs"]["succeeded"] == 24
    with stack.database() as connection:
        query = """
            SELECT split_part(worker, ':', 1), count(*) FROM attempt
            JOIN campaign_run ON campaign_run.run_id = attempt.run_id
            WHERE campaign_id = %s AND outcome = 'succeeded' GROUP BY 1
        """
        shares = dict(connection.execute(query, (campaign,)).fetchall())
        query = """
            SELECT DISTINCT ssl, version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
            WHERE client_addr = %s OR client_addr IN (SELECT client_addr FROM pg_stat_activity)
        """
        connections = connection.execute(query, (second.address,)).fetchall()
    (worker,) = second.docker("ps", "-q", "--filter", "name=worker").split()
    assert len(shares) == 2
    assert sum(shares.values()) == 24
    assert shares[worker] >= 3
    assert connections == [(True, "TLSv1.3")]
    second.compose("down")


def test_a_further_host_gets_no_token_and_no_key(stack: Stack, tmp_path: Path) -> None:
    bundle = [ROOT / "tools" / "worker-bundle", stack.env_file]
    packed = subprocess.run(bundle, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", tmp_path], input=packed, check=True)
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert [str(path.relative_to(tmp_path)) for path in files] == [".env", "tls/ca.crt"]
    text = "".join(path.read_text() for path in files)
    assert "PRIVATE KEY" not in text
    assert stack.secret("WINDTUNNEL_BOOTSTRAP_TOKEN") not in text
    assert stack.secret("POSTGRES_PASSWORD") in text
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600


def python_on(second: SecondHost, code: str, *arguments: str) -> str:
    """The last line that a Python program prints on the other host, of its output or its error."""
    command = second.command(sys.executable, "-c", code, *arguments)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return (done.stdout + done.stderr).strip().splitlines()[-1]


POSTGRES = """
import psycopg, sys
host, port, password, mode = sys.argv[1:]
psycopg.connect(host=host, port=port, user="windtunnel", password=password, sslmode=mode)
print("connected")
"""
REDIS = """
import redis, sys
host, port, password, tls = sys.argv[1:]
options = {"ssl": True, "ssl_cert_reqs": "none"} if tls == "tls" else {}
redis.Redis(host, int(port), password=password, socket_timeout=3, retry=None, **options).ping()
print("connected")
"""


def test_postgres_refuses_plain_connections(stack: Stack, second: SecondHost) -> None:
    where = (stack.secret("WINDTUNNEL_PRIVATE"), str(PORTS[1]))
    password = stack.secret("POSTGRES_PASSWORD")
    plain = python_on(second, POSTGRES, *where, password, "disable")
    assert "no pg_hba.conf entry for host" in plain
    assert "no encryption" in plain
    assert python_on(second, POSTGRES, *where, password, "require") == "connected"
    assert "password authentication failed" in python_on(second, POSTGRES, *where, "x", "require")


def test_redis_refuses_plain_connections(stack: Stack, second: SecondHost) -> None:
    where = (stack.secret("WINDTUNNEL_PRIVATE"), str(PORTS[2]))
    password = stack.secret("REDIS_PASSWORD")
    assert "ConnectionError" in python_on(second, REDIS, *where, password, "plain")
    assert python_on(second, REDIS, *where, password, "tls") == "connected"
    assert "AuthenticationError" in python_on(second, REDIS, *where, "x", "tls")


def test_the_plain_port_of_redis_is_not_reachable_by_routing(
    stack: Stack, second: SecondHost
) -> None:
    """The other host's packets to the containers' own addresses are routed to the first host."""
    (container,) = stack.containers("redis")
    form = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
    where = (docker("inspect", "-f", form, container).strip(), "6379")
    output = python_on(second, REDIS, *where, stack.secret("REDIS_PASSWORD"), "plain")
    assert "TimeoutError" in output or "ConnectionError" in output


LOCK = """
import sys, time
from sqlalchemy import text
from windtunnel.store.database import Database
with Database(sys.argv[1]).transaction() as session:
    session.execute(text("SELECT pg_advisory_xact_lock(77)"))
    print("locked", flush=True)
    time.sleep(300)
"""


def test_a_host_that_is_cut_off_does_not_keep_its_locks(stack: Stack, second: SecondHost) -> None:
    command = second.command(sys.executable, "-c", LOCK, urls(stack)["WINDTUNNEL_DATABASE_URL"])
    holder = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        second.cut_off()
        with stack.database() as connection:
            connection.execute("SET lock_timeout = '30s'")
            connection.execute("SELECT pg_advisory_lock(77)")
    finally:
        second.reconnect()
        holder.kill()
        holder.wait()


def environment(**variables: str) -> dict[str, str]:
    """Of a process of this checkout."""
    path = ":".join(str(ROOT / folder) for folder in (".", "api", "worker"))
    return {**os.environ, "PYTHONPATH": path, **variables}


def urls(stack: Stack, **changes: str) -> dict[str, str]:
    """Settings of a worker on the other host; ``changes`` are parts of the URLs."""
    right = {"address": stack.secret("WINDTUNNEL_PRIVATE"), "authority": stack.authority}
    parts = {f"{server}_{key}": right[key] for server in ("postgres", "redis") for key in right}
    parts |= changes
    return {
        "WINDTUNNEL_DATABASE_URL": (
            f"postgresql+psycopg://windtunnel:{stack.secret('POSTGRES_PASSWORD')}"
            f"@{parts['postgres_address']}:{PORTS[1]}/windtunnel"
            f"?sslmode=verify-full&sslrootcert={parts['postgres_authority']}"
        ),
        "WINDTUNNEL_REDIS_URL": (
            f"rediss://:{stack.secret('REDIS_PASSWORD')}@{parts['redis_address']}:{PORTS[2]}/0"
            "?ssl_cert_reqs=required&ssl_check_hostname=true"
            f"&ssl_ca_certs={parts['redis_authority']}"
        ),
    }


@pytest.fixture(scope="module")
def other_authority(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A certificate authority of somebody else."""
    folder = tmp_path_factory.mktemp("other")
    (folder / ".env").write_text("")
    tool = ROOT / "tools" / "certificates"
    subprocess.run([tool, folder / ".env"], check=True, capture_output=True)
    return str(folder / "tls" / "ca.crt")


@pytest.fixture(scope="module")
def other_address(stack: Stack, second: SecondHost) -> str:
    target = stack.secret("WINDTUNNEL_PRIVATE")
    rule = ["-t", "nat", "-A", "OUTPUT", "-d", OTHER_ADDRESS, "-j", "DNAT"]
    second.run("iptables", *rule, "--to-destination", target)
    return OTHER_ADDRESS


def start_worker(stack: Stack, second: SecondHost, **changes: str) -> tuple[int, str]:
    """Exit code and log of a worker on the other host."""
    done = subprocess.run(
        second.command(sys.executable, "-m", "windtunnel_worker"),
        env=environment(WINDTUNNEL_WORKER_NAME="untrusting", **urls(stack, **changes)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("server", "wrong", "reason"),
    [
        ("postgres", "authority", "certificate verify failed"),
        ("postgres", "address", f'does not match host name "{OTHER_ADDRESS}"'),
        ("redis", "authority", "certificate verify failed"),
        (
            "redis",
            "address",
            f"IP address mismatch, certificate is not valid for '{OTHER_ADDRESS}'",
        ),
    ],
)
def test_a_worker_ends_if_a_server_is_not_the_one_it_expects(
    stack: Stack,
    second: SecondHost,
    other_authority: str,
    other_address: str,
    server: str,
    wrong: str,
    reason: str,
) -> None:
    value = other_authority if wrong == "authority" else other_address
    code, log = start_worker(stack, second, **{f"{server}_{wrong}": value})
    assert code == 1
    name, variable = {
        "postgres": ("PostgreSQL", "WINDTUNNEL_DATABASE_URL"),
        "redis": ("Redis", "WINDTUNNEL_REDIS_URL"),
    }[server]
    last = log.strip().splitlines()[-1]
    assert last.startswith(f"no trusted connection to {name}: ")
    assert reason in last
    assert variable in last
    assert stack.secret("POSTGRES_PASSWORD") not in log
    workers: list[dict[str, Any]] = stack.ask("GET", "/workers").json()["workers"]
    assert "untrusting" not in {worker["name"] for worker in workers}


def test_a_missing_file_of_authorities_is_named(stack: Stack, second: SecondHost) -> None:
    for server, variable in (("postgres", "DATABASE"), ("redis", "REDIS")):
        code, log = start_worker(stack, second, **{f"{server}_authority": "/no/ca.crt"})
        assert code == 1
        assert "ssl_ca_certs" in log or '"/no/ca.crt" does not exist' in log
        assert f"WINDTUNNEL_{variable}_URL" in log.strip().splitlines()[-1]


def test_renewed_certificates_are_used_and_other_hosts_need_nothing(stack: Stack) -> None:
    def served() -> list[bytes]:
        certificates = []
        for service in ("postgres", "redis"):
            (container,) = stack.containers(service)
            certificates.append(docker("exec", container, "cat", "/key/server.crt").encode())
        return certificates

    before = served()
    subprocess.run([ROOT / "tools" / "certificates", "--renew", stack.env_file], check=True)
    stack.compose("up", "postgres-key", "redis-key")
    stack.compose("restart", "postgres", "redis")
    stack.ask("GET", "/ready?worker=true")
    after = served()
    assert not set(before) & set(after)
    with stack.database() as connection, stack.redis() as client:  # with the same authority
        connection.execute("SELECT 1")
        client.ping()
    for service in ("postgres", "redis"):
        (container,) = stack.containers(service)
        listing = docker("exec", container, "stat", "-c", "%a %U", "/key", "/key/server.key")
        assert listing.split() == ["700", service, "600", service]
