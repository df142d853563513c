#!/bin/sh
# Runs the tool's tests: cli_test.sh TALLY.
exec python3 cli/cli_test.py "$1" -v
