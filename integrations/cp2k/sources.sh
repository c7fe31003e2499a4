#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Downloads the sources of CP2K 2025.1 and DBCSR 2.8.0 from Debian 13 to FOLDER.
# usage: sources.sh FOLDER      needs dpkg-dev
# Exits with 77 if they cannot be downloaded.
set -euo pipefail
(($# == 1)) || { echo "usage: sources.sh FOLDER" >&2; exit 2; }
packaging=$(dirname "$(readlink -f "$0")")/../../packaging
cd "$1"

# get_source PACKAGE ARCHIVE: only the original archive is needed. apt-get also fails if another file is missing.
get_source() {
  [[ -f $2 ]] || RELEASE=trixie "$packaging/debian_source.sh" . "$1" || true
  [[ -f $2 ]] || { echo "sources.sh: $2 cannot be downloaded" >&2; exit 77; }
  tar -xzf "$2"
}
[[ -d dbcsr-2.8.0 ]] || get_source dbcsr dbcsr_2.8.0.orig.tar.gz
[[ -d cp2k-2025.1 ]] || get_source cp2k cp2k_2025.1.orig.tar.gz
