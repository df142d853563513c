"""A PostgreSQL server of a test's own, from Debian's package. Nobody else reaches it: it listens on a socket in a folder."""

import contextlib
import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile


def programs():
    """The folder with initdb and postgres, or None."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return os.path.dirname(found[-1]) if found else None


def _run(*command, check=True):
    """PostgreSQL does not run as root."""
    somebody = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}
    subprocess.run(command, check=check, cwd="/", stdout=subprocess.DEVNULL, **somebody)


@contextlib.contextmanager
def running():
    """The URL of a server that runs meanwhile."""
    folder = tempfile.mkdtemp(prefix="tally-pg-", dir="/tmp")
    server = None
    try:
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        _run(f"{programs()}/initdb", "-D", f"{folder}/data", "-U", "tally", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        _run(f"{programs()}/pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o",
            f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off", "start")
        server = folder
        yield f"postgresql://tally@%2F{folder[1:].replace('/', '%2F')}/postgres"
    finally:
        if server:
            _run(f"{programs()}/pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop", check=False)
        shutil.rmtree(folder, ignore_errors=True)


def skip_without():
    if programs() is None:
        print("skipped: Debian's postgresql is not installed (./dev setup server)")
        sys.exit(0)
