"""`make env` makes certificates, and leaves those alone that exist or were given."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

TOOL = ROOT / "tools" / "certificates"


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    file = tmp_path / ".env"
    file.write_text("WINDTUNNEL_PRIVATE=10.0.0.5\nWINDTUNNEL_TLS_NAMES=wt.lab,fd00::5\n")
    return file


def make(env_file: Path, *options: str, code: int = 0) -> str:
    """Run the tool; what it says."""
    done = subprocess.run([TOOL, *options, env_file], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr


def contents(env_file: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (env_file.parent / "tls").iterdir()}


def openssl(*words: str | Path) -> str:
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_private_keys_are_private_and_certificates_are_signed(env_file: Path) -> None:
    make(env_file)
    folder = env_file.parent / "tls"
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes == {
        **dict.fromkeys(("ca.key", "postgres.key", "redis.key"), 0o600),
        **dict.fromkeys(("ca.crt", "postgres.crt", "redis.crt"), 0o644),
    }
    assert folder.stat().st_mode & 0o777 == 0o700
    for server in ("postgres", "redis"):
        certificate = folder / f"{server}.crt"
        strict = ("-x509_strict", "-purpose", "sslserver", "-CAfile", str(folder / "ca.crt"))
        assert openssl("verify", *strict, certificate).endswith("OK\n")
        names = openssl("x509", "-in", certificate, "-noout", "-ext", "subjectAltName")
        assert "IP Address:10.0.0.5" in names
        assert "IP Address:FD00:0:0:0:0:0:0:5" in names
        assert "DNS:wt.lab" in names
        assert f"DNS:{os.uname().nodename}" in names


def test_a_second_time_changes_nothing(env_file: Path) -> None:
    make(env_file)
    before = contents(env_file)
    assert make(env_file) == ""
    assert contents(env_file) == before


def test_a_new_address_and_renewal_keep_the_authority(env_file: Path) -> None:
    make(env_file)
    first = contents(env_file)
    env_file.write_text("WINDTUNNEL_PRIVATE=10.0.0.6\n")
    assert "IP:10.0.0.6" in make(env_file)
    second = contents(env_file)
    make(env_file, "--renew")
    third = contents(env_file)
    for name in first:
        versions = {first[name], second[name], third[name]}
        assert len(versions) == (1 if name.startswith("ca.") else 3), name


def test_given_certificates_are_only_checked(env_file: Path) -> None:
    make(env_file)
    folder = env_file.parent / "tls"
    (folder / "ca.key").unlink()
    before = contents(env_file)
    env_file.write_text("WINDTUNNEL_PRIVATE=10.0.0.6\n")
    assert "postgres.crt is not valid for: 10.0.0.6" in make(env_file)
    assert "renew the certificates where they were made" in make(env_file, "--renew", code=2)
    assert contents(env_file) == before
    (folder / "redis.key").unlink()
    assert "redis.key is missing" in make(env_file, code=2)


def test_the_key_of_another_authority_signs_nothing(env_file: Path, tmp_path: Path) -> None:
    """The folder has the key of the first `make env`, and since then the lab's certificates."""
    make(env_file)
    folder = env_file.parent / "tls"
    given = tmp_path / "given"
    shutil.copytree(folder, given)
    shutil.rmtree(folder)
    make(env_file)
    for name in ("ca.crt", "postgres.crt", "postgres.key", "redis.crt", "redis.key"):
        shutil.copy2(given / name, folder / name)
    before = contents(env_file)
    env_file.write_text("WINDTUNNEL_PRIVATE=10.0.0.6\n")
    make(env_file)
    assert contents(env_file) == before
