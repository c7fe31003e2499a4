#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs a build in which only the libraries and the command were made. partial.sh SOURCE BUILD FOLDER OPTIONS...: they are
# copied from BUILD into a new build folder.
set -eu
source=$1 build=$2 folder=$3
shift 3
rm -rf "$folder"
# without run paths: that of the copied command is of the other folder
cmake -S "$source" -B "$folder/build" -DSEICHE_TESTS=OFF -DSEICHE_PYTHON=OFF -DCMAKE_SKIP_RPATH=ON "$@" >/dev/null
mkdir -p "$folder/build/bin"
cp -P "$build"/src/libseiche* "$folder/build/src/"
cp "$build/bin/seiche" "$folder/build/bin/"
cmake --install "$folder/build" --prefix "$folder/installed" >/dev/null
"$folder/installed/bin/seiche" --version
[ -z "$(find "$folder/installed" -name 'seiche_fortran*.pc')" ] || { echo "a library that was not built has a .pc"; exit 1; }
mkdir "$folder/consumer"
cat >"$folder/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer CXX)
find_package(seiche REQUIRED COMPONENTS files OPTIONAL_COMPONENTS fortran)
message(STATUS "fortran: ${seiche_fortran_FOUND}")
END
cmake -S "$folder/consumer" -B "$folder/consumer/build" -DCMAKE_PREFIX_PATH="$folder/installed" | grep -qx -- "-- fortran: FALSE"
