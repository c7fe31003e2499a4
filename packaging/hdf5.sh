#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the HDF5 of Debian from source, for the wheel. usage: hdf5.sh FOLDER, which installs to FOLDER/install.
# The library in Debian reads files from the web, and depends on curl, OpenSSL, Kerberos and LDAP, which a wheel should not
# contain. Its static library cannot be linked to an extension module.
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
install -D bin/h5cc "$folder/install/bin/h5cc"  # CMake looks for it
