#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Downloads source packages of the distribution to FOLDER. usage: [RELEASE=NAME] debian_source.sh FOLDER PACKAGE...
# RELEASE: another release of the distribution, for example trixie.
# The sources come from the servers in the apt configuration of the machine. The script does not need root, and does not
# change the package lists. Exit code 77: a package is not available.
set -euo pipefail
(($# >= 2)) || { echo "usage: debian_source.sh FOLDER PACKAGE..." >&2; exit 2; }
stop() { echo "debian_source.sh: $*" >&2; exit 77; }
command -v apt-get >/dev/null || stop "there is no apt-get on this machine"
mkdir -p "$1"
cd "$1"
shift

rm -rf apt # the configuration may have changed since the last call
mkdir -p apt/sources apt/lists/partial
eval "$(apt-config shell file Dir::Etc::sourcelist/f folder Dir::Etc::sourceparts/d)"
# shellcheck disable=SC2154  # apt-config sets file and folder
for list in "${folder%/}"/*.sources; do
  [[ ! -f $list ]] || sed 's/^Types:.*/Types: deb-src/I' "$list" >"apt/sources/${list##*/}"
done
# shellcheck disable=SC2154
for list in "$file" "${folder%/}"/*.list; do
  [[ ! -f $list ]] || sed -nE 's/^[[:space:]]*deb[[:space:]]+/deb-src /p' "$list" >"apt/sources/${list##*/}"
done
apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$PWD/apt/sources" -o Dir::State::lists="$PWD/apt/lists"
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
if [[ ${RELEASE:-} ]]; then
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  sed -i "s/\b$codename\b/$RELEASE/g" apt/sources/*
fi
"${apt[@]}" update || true # servers without source packages are accepted
for package; do
  "${apt[@]}" source --download-only "$package" || stop "the machine's apt has no sources of $package"
done
