#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What ./dev says where it may install nothing: it names what is missing, and what can be done all the same.
# no_root.sh DEV FOLDER
set -eu
dev=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
for tool in bash dirname readlink grep mkdir id; do ln -s "$(command -v "$tool")" "$folder/$tool"; done

said() { env -i PATH="$folder" HOME="$folder" bash "$dev" "$@" 2>&1 && { echo "./dev $* should have failed"; exit 1; } || true; }
expect() { case $2 in *"$1"*) ;; *) echo "expected: $1"; echo "said: $2"; exit 1 ;; esac; }

# Neither Debian nor a compiler.
expect "I cannot fetch these without root: g++ python3; ask who runs this machine" "$(said build core)"

# Debian, where dpkg knows of no package and neither root nor sudo is to be had.
printf '#!/bin/sh\nexit 1\n' >"$folder/dpkg-query"
sed 's/((EUID == 0))/false/' "$dev" >"$folder/dev"
printf '#!%s\nexit 1\n' "$(command -v sh)" >"$folder/sudo"
chmod +x "$folder/dpkg-query" "$folder/sudo" "$folder/dev"
cp "$(dirname "$dev")/CMakePresets.json" "$folder"
dev=$folder/dev
expect "sudo apt-get install g++ cmake ninja-build" "$(said build release)"
expect "./dev test core" "$(said test release)"
expect "I cannot fetch these without root: g++ python3" "$(said build core)"
echo "what is missing is named"
