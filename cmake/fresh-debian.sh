#!/bin/sh
# fresh-debian.sh: defines functions that make a fresh Debian below a folder, for the scripts that
# source this file. `fresh-debian.sh possible` prints the requirements that this machine does not
# meet. TPUTWIN_DEBIAN_MIRROR names the source of packages; the default is the mirror of this
# system's apt. The result of debootstrap is kept as SUITE-base.tar.
. "$(dirname "$0")/debian-mirror.sh"

possible() {
  lacks() { echo "${0##*/}: a fresh Debian needs $1" >&2; return 1; }
  [ "$(id -u)" = 0 ] || lacks "root" || return
  command -v debootstrap >/dev/null || lacks "debootstrap" || return
  unshare --mount mount --bind / /mnt 2>/dev/null || lacks "the right to mount" || return
  wget --quiet --timeout=20 --tries=2 --spider "$mirror/dists/bookworm/InRelease" || lacks "the mirror $mirror"
}

# logged COMMAND...: appends output to $root.log, and prints the log's end if the command fails.
logged() { "$@" >>"$root.log" 2>&1 || { tail -n 30 "$root.log" >&2; exit 1; }; }

# fresh_debian SUITE ROOT KEPT: makes ROOT, from KEPT/SUITE-base.tar if it exists.
fresh_debian() {
  suite=$1 root=$2 base=$3/$1-base.tar
  rm -rf --one-file-system "$root"
  mkdir -p "$root"
  : >"$root.log"
  if [ ! -e "$base" ]; then
    logged debootstrap --variant=minbase "$suite" "$root" "$mirror"
    tar -C "$root" -cf "$base.new" . && mv "$base.new" "$base"
  else
    tar -C "$root" -xf "$base"
  fi
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  cp /etc/resolv.conf "$root/etc/"
  printf 'deb %s %s main\n' "$mirror" "$suite" "$mirror" "$suite-updates" "$mirror-security" "$suite-security" \
    >"$root/etc/apt/sources.list"
  echo 'Acquire::Retries "3";' >"$root/etc/apt/apt.conf.d/80retries"
  logged inside apt-get update -qq
}

# inside COMMAND...: runs a command in the Debian at $root, with only the variables below.
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

case $0:${1:-} in
  *fresh-debian.sh:possible)
    possible
    exit
    ;;
esac
# Restarts the script in its own mount namespace, which ends with the process. Without it, removing
# the folder could remove the host's /dev.
if [ -z "${TPUTWIN_OWN_MOUNTS:-}" ]; then
  possible || exit 2
  exec env TPUTWIN_OWN_MOUNTS=1 unshare --mount "$0" "$@"
fi
