"""The suite of stores on PostgreSQL. Run by //tests/server:postgres_test."""

import os
import subprocess
import sys

import postgres

if __name__ == "__main__":
    postgres.skip_without()
    with postgres.running() as url:
        sys.exit(subprocess.run([sys.argv[1]], env=os.environ | {"TALLY_TEST_POSTGRES": url}, check=False).returncode)
