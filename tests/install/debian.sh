#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the Debian packages of a build, and uses them as if they were installed: unpacked below a folder, where the command runs
# and the examples are built by pkg-config.
# debian.sh BUILD FOLDER TESTS EXAMPLES WAVEFILE CC CXX FC
set -eu
build=$1 folder=$2 tests=$3
shift 3
for tool in dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool; apt-get install dpkg-dev"; exit 77; }
done
rm -rf "$folder"
mkdir -p "$folder/unpacked"
cpack --config "$build/CPackConfig.cmake" -B "$folder" >"$folder/cpack.log" || { cat "$folder/cpack.log"; exit 1; }
for name in seiche libseiche-dev; do
  package=$(ls "$folder/${name}"_*.deb)
  dpkg-deb --extract "$package" "$folder/unpacked"
  dpkg-deb --field "$package" Depends >"$folder/$name.depends"
done
grep -q 'libopenmpi3\|libmpich12' "$folder/seiche.depends"   # found by its libraries
grep -q 'libhdf5' "$folder/seiche.depends"
grep -q 'libfftw3-double3' "$folder/seiche.depends"          # which no tool can find
grep -q 'libhdf5-dev' "$folder/libseiche-dev.depends"
if dpkg-deb --contents "$folder"/seiche_*.deb | grep -q '/include/'; then exit 1; fi
if [ "$(ls "$folder/unpacked")" != usr ]; then echo "files beside /usr"; exit 1; fi
for file in seiche/copyright seiche/uPlot.copyright libseiche-dev/copyright; do
  [ -s "$folder/unpacked/usr/share/doc/$file" ] || { echo "the licence $file is missing"; exit 1; }
done
if [ -e "$build/ducc0.copyright" ]; then   # DUCC's transforms, and its notice
  LD_DEBUG=files "$folder/unpacked/usr/bin/seiche" bench fft --grid 5,5,5 --library ducc 2>&1 |
    grep -q "calling init: $folder/unpacked/.*/seiche/libseiche_ducc_"
  cmp "$build/ducc0.copyright" "$folder/unpacked/usr/share/doc/seiche/ducc0.copyright"
fi
"$folder/unpacked/usr/bin/seiche" density "$2" --compare "$2" -o "$folder/density.cube"
sh "$tests/install/pkg_config.sh" "$folder/unpacked/usr" "$1" "$folder/consumers" "$2" "$3" "$4" "$5"
echo "the Debian packages work"
