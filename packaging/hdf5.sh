#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's HDF5, from its source, for a wheel: hdf5.sh FOLDER builds it in FOLDER and installs it to FOLDER/install. Debian's
# own library reads files from the web and so brings curl, OpenSSL, Kerberos and LDAP along, which no wheel should hold;
# its static form cannot go into an extension.
set -euo pipefail
folder=$1
mkdir -p "$folder/build"
"$(dirname "$(readlink -f "$0")")/debian_source.sh" "$folder" hdf5
cd "$folder"
folder=$PWD
rm -rf source
dpkg-source -x --skip-patches hdf5_*.dsc source >/dev/null

cd build
../source/configure --prefix="$folder/install" --disable-shared --with-pic --disable-hl --disable-tests --disable-tools \
  --enable-threadsafe --with-szlib --enable-build-mode=production --disable-dependency-tracking >configure.log
make -s -j"$(nproc)" -C src >make.log 2>&1
make -s -C src install >install.log 2>&1
install -D bin/h5cc "$folder/install/bin/h5cc"  # by which CMake finds it
