#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the core in a bare Debian that has only g++, MPI, FFTW and CMake, and runs the program of README with it. Then adds
# GoogleTest, fmt and Python, and runs the tests. usage: bare.sh ARCHIVE FOLDER   (needs root and debootstrap)
# FOLDER becomes the root of the Debian. Packages come from the servers in the apt configuration of the machine.
set -euo pipefail
# In a mount namespace of its own: when the script ends, nothing stays mounted below FOLDER.
[[ ${BARE_NAMESPACE:-} ]] || exec env BARE_NAMESPACE=1 unshare --mount --propagation private "$0" "$@"
archive=$1 root=$2
needed=(g++ cmake make libopenmpi-dev openmpi-bin libfftw3-dev)
for_tests=(libgtest-dev libfmt-dev python3)

if [[ ! -d $root/etc/apt ]]; then
  mkdir -p "$root"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -1)
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  debootstrap --variant=minbase "$codename" "$root" "$mirror" >"$root/debootstrap.log"
fi
cp -rL /etc/apt/. "$root/etc/apt/"
for file in /etc/resolv.conf /etc/hosts; do cp -L "$file" "$root/etc/" 2>/dev/null || true; done
mkdir -p "$root/etc/ssl/certs" && cp -rL /etc/ssl/certs/. "$root/etc/ssl/certs/" 2>/dev/null || true
mount --bind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind /sys "$root/sys"

inside() {
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
    chroot "$root" sh -euc "$1" sh "${@:2}"
}
install_packages() { inside 'apt-get update -qq; apt-get install -y -qq --no-install-recommends "$@" >/dev/null' "$@"; }
say() { printf '== %s\n' "$*" >&2; }

say "installing ${needed[*]}"
install_packages "${needed[@]}"
rm -rf "$root/seiche" "$root/my_code"
mkdir -p "$root/seiche" "$root/my_code"
tar -xzf "$archive" -C "$root/seiche" --strip-components=1

core=(-DSEICHE_FILES=OFF -DSEICHE_BLOCKSPARSE=OFF)
say "building the core"
inside 'cd /seiche; cmake -S . -B build -DSEICHE_TESTS=OFF "$@"; cmake --build build --parallel "$(nproc)"; cmake --install build --prefix /usr/local' "${core[@]}" >"$root/core.log"
say "the program of README, with its lines for CMake"
sed -n '/^```cpp$/,/^```$/p' "$root/seiche/README.md" | sed '/^```/d' >"$root/my_code/my_code.cpp"
{
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(my_code LANGUAGES CXX)\nadd_executable(my_code my_code.cpp)\n'
  sed -n '/^```cmake$/,/^```$/p' "$root/seiche/README.md" | sed '/^```/d'
} >"$root/my_code/CMakeLists.txt"
inside 'cd /my_code; cmake -S . -B build; cmake --build build; mpiexec -n 2 build/my_code' >"$root/my_code.log"
tail -1 "$root/my_code.log"
grep -qxF "$(tail -1 "$root/my_code.log")" "$root/seiche/README.md" || { echo "README promises another answer" >&2; exit 1; }

say "installing ${for_tests[*]}, and testing"
install_packages "${for_tests[@]}"
inside 'cd /seiche; cmake -S . -B build -DSEICHE_TESTS=ON "$@"; cmake --build build --parallel "$(nproc)"' "${core[@]}" >"$root/tests.log"
inside 'ctest --test-dir /seiche/build --output-on-failure --parallel "$(nproc)" -E "^(house|install|docs|bench)\."'
