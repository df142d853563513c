#!/bin/sh
# Runs tests of the tool: cli_test.sh TEST.py TALLY [MORE].
exec /usr/bin/python3 "$@" -v
