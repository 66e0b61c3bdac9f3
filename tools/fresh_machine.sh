#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Do on a bare Debian what a new user does: debootstrap makes one in a temporary folder, this tree is copied to
# the user's home, git and make are installed as README.md says, and the user runs a command in the tree. The
# folder is removed at the end. Needs root, debootstrap, the network and some 3 GB.
#
# usage: fresh_machine.sh SUITE USER [COMMAND]
#   SUITE    bookworm, trixie, ...; MIRROR names another mirror than Debian's
#   USER     root; sudo: an ordinary user who may use sudo; refused: one who may not; plain: there is no sudo
#   COMMAND  make demo unless given; its exit status is that of the script
# On one core: taskset -c 0 tools/fresh_machine.sh trixie root
set -eu
[ $# -ge 2 ] || {
  sed -n '8,12s/^# //p' "$0" >&2
  exit 2
}
suite=$1 user=$2 command=${3:-make demo}
packages="git make" login=tester home=/home/tester
case $user in
  root) login=root home=/root ;;
  sudo | refused) packages="$packages sudo" ;;
  plain) ;;
  *) echo "fresh_machine.sh: USER is $user; known: root sudo refused plain" >&2 && exit 2 ;;
esac
cd "$(dirname "$0")/.."
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "fresh_machine.sh works as root and needs debootstrap: apt-get install debootstrap" >&2
  exit 1
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/oak_fresh.XXXXXX")
trap 'rm -rf --one-file-system "$folder"' EXIT
root=$folder/root
debootstrap --variant=minbase "$suite" "$root" "${MIRROR:-http://deb.debian.org/debian}" >"$folder/log" 2>&1 || {
  tail "$folder/log" >&2
  exit 1
}
rm -rf "$root"/var/lib/apt/lists/* # the image of a container has no lists of packages
echo "127.0.0.1 $(hostname)" >>"$root/etc/hosts"

# in_root COMMAND: the mounts and the processes end with it.
in_root() {
  # shellcheck disable=SC2016 # the inner shell expands
  unshare --mount --pid --fork --kill-child bash -ec '
    mount --bind "$0" "$0" # a root that can be a mount point of its own namespaces
    mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm"
    exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$1"' "$root" "$1"
}
in_root "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y $packages" >"$folder/log" 2>&1 || {
  tail "$folder/log" >&2
  exit 1
}
[ "$user" = root ] || in_root "useradd -m -s /bin/bash $login" # without a password
[ "$user" != sudo ] || echo "$login ALL=(ALL) NOPASSWD: ALL" >"$root/etc/sudoers.d/oak"
mkdir "$root$home/oak"
git ls-files -z -co --exclude-standard | tar --null -T - -c | tar -x -C "$root$home/oak"
in_root "chown -R $login: $home/oak"
echo "== $suite, $user, $(nproc) cores: $command"
in_root "su - $login -c 'cd oak && ${command//\'/\'\\\'\'}'"
