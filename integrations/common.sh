# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Functions for the integrate.sh of each integration, which sources this file.
say() { printf '== %s\n' "$*"; }

# get_program INTEGRATION FOLDER [SOURCE]: runs get.sh of the integration for FOLDER. Exits with 77 if the program cannot be obtained.
get_program() {
  local status=0
  mkdir -p "$2"
  "$1/get.sh" "${@:2}" >"$2/get.log" 2>&1 || status=$?
  case $status in
    0) ;;
    77) say "skipped: the program cannot be obtained here, see $2/get.log"; exit 77 ;;
    *) tail -5 "$2/get.log" >&2; echo "integrate.sh: see $2/get.log" >&2; exit 1 ;;
  esac
}
