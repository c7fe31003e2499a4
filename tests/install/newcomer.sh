#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A newcomer's path in Debian as it comes, with git and nothing else: an ordinary user clones the project and does what the pages
# say, line by line: README, install, tutorial; then, in another Debian that has Python but neither compiler nor MPI, what
# install says of the wheel. Needs root, debootstrap, and an hour.
# newcomer.sh FOLDER     FOLDER is made, and may be removed afterwards
set -euo pipefail
[[ ${INSIDE:-} ]] || exec env INSIDE=1 unshare --mount --propagation private "$0" "$@"
checkout=$(git -C "$(dirname "$(readlink -f "$0")")" rev-parse --show-toplevel)
folder=$1 data=tests/data/si_small/si_small.save home=home/newcomer

# A Debian below the folder, with this machine's way to packages, and a user who may become root.
debian() {
  local root=$folder/$1 packages=$2
  [[ -d $root/etc ]] || debootstrap --variant=minbase --include="ca-certificates,sudo,$packages" bookworm "$root" >/dev/null
  rm -f "$root/etc/apt/sources.list"
  cp -rL /etc/apt/. "$root/etc/apt/"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  local settings
  for settings in /etc/pip.conf ~/.config/pip/pip.conf ~/.pip/pip.conf; do
    if [[ -f $settings ]]; then cp "$settings" "$root/etc/pip.conf"; fi
  done
  mount --bind /proc "$root/proc"
  mount --bind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  echo 'APT::Get::Assume-Yes "true";' >"$root/etc/apt/apt.conf.d/90nobody-is-there-to-say-yes"
  chroot "$root" sh -c 'id newcomer >/dev/null 2>&1 || useradd --create-home --shell /bin/bash newcomer'
  echo 'newcomer ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/newcomer"
  cp "$checkout/tests/install/walk.sh" "$root/usr/local/bin/walk"
}

# Runs a command in the user's home of a Debian.
as_newcomer() {
  local settings
  mapfile -t settings < <(env | grep -E '^((https?|no)_proxy|(HTTPS?|NO)_PROXY|PIP_[A-Z_]*|SSL_CERT_FILE|REQUESTS_CA_BUNDLE)=' || true)
  chroot --userspec=newcomer:newcomer "$folder/$1" env -i HOME="/$home" USER=newcomer LANG=C.UTF-8 \
    PATH=/usr/local/bin:/usr/bin:/bin "${settings[@]}" bash -c "cd; $2"
}

debian workstation git
rm -rf "$folder/workstation/$home/seiche"
git clone -q "$checkout" "$folder/workstation/$home/seiche"
chroot "$folder/workstation" chown -R newcomer: "/$home"
as_newcomer workstation "cd seiche && walk README.md Seiche"
as_newcomer workstation "cd seiche && walk docs/tutorial.md"
as_newcomer workstation "cd seiche && walk docs/install.md 'A workstation'"
as_newcomer workstation "cd seiche && ./dev wheel"

debian laptop python3-venv
cp "$checkout"/docs/install.md "$folder/workstation/$home"/seiche/build/wheel/*.whl "$folder/laptop/$home"
cp -r "$checkout/$data" "$folder/laptop/$home/silicon.save"
chroot "$folder/laptop" chown -R newcomer: "/$home"
as_newcomer laptop "walk install.md 'A laptop'"
