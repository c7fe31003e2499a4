#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Does what a page says, as it is written: runs the lines of its console blocks one after another in one shell, in the folder where
# one stands, and stops at the first that fails.
# walk.sh PAGE [HEADING]     only what stands below this heading
set -euo pipefail
page=$1 heading=${2:-}
lines=$(awk -v heading="$heading" '
  BEGIN { here = heading == "" }
  /^#+ / && heading != "" { title = $0; sub(/^#+ /, "", title); here = title == heading }
  /^ *```/ { inside = !inside && $0 ~ /console/; next }
  here && inside && /^\$ / { print substr($0, 3) }' "$page")
[[ $lines ]] || { echo "$page has no commands${heading:+ below "$heading"}"; exit 1; }
while read -r line; do
  printf '\033[1m$ %s\033[0m\n' "$line"
  eval "$line" </dev/null || { echo "$page: '$line' failed with exit $?"; exit 1; }
done <<<"$lines"
echo "$page${heading:+, $heading}: all $(wc -l <<<"$lines") commands did"
