#!/bin/sh
# deb-arm64.sh DEB [configure]: packages for 64-bit Arm of the sources in DEB/tputwin, cross-built in a Debian 12 of its own
# below DEB: what libraries ask for on arm64 and amd64 cannot all be installed side by side (libgdal, libgflags), so
# that a system in which tputwin is developed would lose its own. `configure` ends when CMake has found everything.
# Run by root; `make deb-arm64`. TPUTWIN_DEBIAN_MIRROR says from where.
set -eu
deb=$(cd "$1" && pwd)
until=${2:-packages}
mirror=${TPUTWIN_DEBIAN_MIRROR:-http://deb.debian.org/debian}
root=$deb/arm64-builder
base=$deb/../bookworm-base.tar
profiles=cross,nopython,nocheck

[ "$(id -u)" = 0 ] || { echo "deb-arm64.sh: debootstrap and chroot want root" >&2; exit 2; }
leave() { for mounted in dev proc ccache; do umount "$root/$mounted" 2>/dev/null || true; done; }
trap leave EXIT
leave
rm -rf --one-file-system "$root"
mkdir -p "$root"
if [ ! -e "$base" ]; then
  debootstrap --variant=minbase bookworm "$root" "$mirror"
  tar -C "$root" -cf "$base.new" . && mv "$base.new" "$base"
else
  tar -C "$root" -xf "$base"
fi
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
# What the compilers made stays beside DEB: another build takes minutes.
mkdir -p "$deb/../arm64-ccache" "$root/ccache"
mount --bind "$deb/../arm64-ccache" "$root/ccache"
cp /etc/resolv.conf "$root/etc/"
printf 'deb %s bookworm main\ndeb %s bookworm-updates main\ndeb %s-security bookworm-security main\n' \
  "$mirror" "$mirror" "$mirror" >"$root/etc/apt/sources.list"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

echo "== compilers and libraries"
mkdir "$root/build"
cp -r "$deb/tputwin" "$root/build/tputwin"
inside dpkg --add-architecture arm64
inside apt-get update -qq
inside sh -c "cd /build/tputwin && apt-get build-dep -y -qq --no-install-recommends -a arm64 -P $profiles ./ &&
  apt-get install -y -qq --no-install-recommends crossbuild-essential-arm64 ccache lintian" >"$deb/arm64.log" 2>&1 || { tail "$deb/arm64.log"; exit 1; }

built() {
  inside CCACHE_DIR=/ccache nice -n 10 sh -c "cd /build/tputwin && DEB_BUILD_OPTIONS='nocheck parallel=${JOBS:-$(nproc)}' \
    TPUTWIN_WERROR=${TPUTWIN_WERROR:-OFF} TPUTWIN_COMMIT=${TPUTWIN_COMMIT:-} $1"
}
if [ "$until" = configure ]; then
  echo "== configure"
  built "dpkg-buildpackage -us -uc -a arm64 -P$profiles -T override_dh_auto_configure"
  exit 0
fi
echo "== packages"
built "dpkg-buildpackage -b -us -uc -a arm64 -P$profiles"
inside sh -c 'cd /build && lintian --fail-on error,warning tputwin_*_arm64.changes'
cp "$root"/build/*_arm64.deb "$deb/"
ls -l "$deb"/*_arm64.deb
