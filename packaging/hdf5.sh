#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's HDF5, from its source, for a wheel: hdf5.sh FOLDER builds it in FOLDER and installs it to FOLDER/install. Debian's
# own library reads files from the web and so brings curl, OpenSSL, Kerberos and LDAP along, which no wheel should hold;
# its static form cannot go into an extension.
set -euo pipefail
folder=$1
rm -rf "$folder/sources"  # of places that may be others by now
mkdir -p "$folder/sources/lists/partial" "$folder/build"
cd "$folder"
folder=$PWD

# Lists of sources, of the places that packages come from, in a folder of our own: no root is needed for them.
for list in /etc/apt/sources.list.d/*.sources; do
  [[ ! -f $list ]] || sed 's/^Types:.*/Types: deb-src/' "$list" >"sources/${list##*/}"
done
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [[ ! -f $list ]] || sed -n 's/^deb /deb-src /p' "$list" >"sources/${list##*/}"
done
apt=(apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/sources" -o Dir::State::Lists="$folder/sources/lists")
"${apt[@]}" update
"${apt[@]}" source --download-only hdf5
rm -rf source
dpkg-source -x --skip-patches hdf5_*.dsc source >/dev/null

cd build
../source/configure --prefix="$folder/install" --disable-shared --with-pic --disable-hl --disable-tests --disable-tools \
  --enable-threadsafe --with-szlib --enable-build-mode=production --disable-dependency-tracking >configure.log
make -s -j"$(nproc)" -C src >make.log 2>&1
make -s -C src install >install.log 2>&1
install -D bin/h5cc "$folder/install/bin/h5cc"  # by which CMake finds it
