#!/bin/sh
# Runs tests of the tool: cli_test.sh TEST.py TALLY [MORE].
exec python3 "$@" -v
