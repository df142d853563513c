#!/bin/sh
# Runs tests of the tool: cli_test.sh TEST.py TALLY.
exec python3 "$1" "$2" -v
