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


class Postgres:
    """A server in a folder of its own, until close()."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tally-pg-", dir="/tmp")
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        self.url = f"postgresql://tally@{self.folder.replace('/', '%2F')}/postgres"
        _run(f"{programs()}/initdb", "-D", f"{self.folder}/data", "-U", "tally", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    def start(self):
        _run(f"{programs()}/pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o",
             f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off", "start")

    def stop(self):
        """At once, as when its machine fails: what it was writing is not there."""
        _run(f"{programs()}/pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop", check=False)

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def running():
    """The URL of a server that runs meanwhile."""
    server = Postgres()
    try:
        yield server.url
    finally:
        server.close()


def skip_without():
    if programs() is None:
        print("skipped: Debian's postgresql is not installed (./dev setup server)")
        sys.exit(0)
