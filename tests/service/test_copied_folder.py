"""A stopped data folder that was copied can be served."""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

import pytest

from tests.conftest import new_data_folder, start_service, tiny_campaign
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.postgres import Postgres
from windtunnel.errors import UnavailableError

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root changes owners")


def copied(source: Folders, preserve_owner: bool) -> Folders:
    """A copy as of ``cp -a``, or of ``cp -r``: its files belong to who copies."""
    target = Folders(source.data.with_name(f"{source.data.name}-copy"))
    shutil.copytree(source.data, target.data, symlinks=True)
    if preserve_owner:
        for path in (source.postgres, *source.postgres.rglob("*")):
            owner = path.lstat()
            copy = target.data / path.relative_to(source.data)
            os.chown(copy, owner.st_uid, owner.st_gid, follow_symlinks=False)
    return target


@AS_ROOT
@pytest.mark.parametrize("preserve_owner", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_copy_has_the_campaigns_of_the_original(preserve_owner: bool) -> None:
    original, copy = new_data_folder(), None
    try:
        for service in start_service(original):
            campaign = service.submit(tiny_campaign("copied"))["id"]
            service.wait(campaign)
            service.running._stop()
            copy = copied(original, preserve_owner)
            outside = copy.data / "outside"
            outside.write_text("root's")
            (copy.postgres / "link").symlink_to(outside)
        assert copy is not None
        for service in start_service(copy):
            assert service.get(f"/campaigns/{campaign}")["runs"]["succeeded"] == 1
            assert outside.stat().st_uid == 0
    finally:
        for folders in filter(None, (original, copy)):
            shutil.rmtree(folders.data, ignore_errors=True)


@AS_ROOT
def test_a_folder_of_another_user_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = Folders(tmp_path)
    folders.postgres.mkdir()
    (folders.postgres / "PG_VERSION").write_text("18\n")
    monkeypatch.setattr(os, "geteuid", lambda: pwd.getpwnam("nobody").pw_uid)
    with pytest.raises(UnavailableError, match=r"belongs to root, not to nobody; .* cp -a"):
        Postgres(folders, tmp_path, tmp_path).start()
