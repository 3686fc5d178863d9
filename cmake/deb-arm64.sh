#!/bin/sh
# deb-arm64.sh DEB: the packages of the sources DEB/tputwin for 64-bit Arm, cross-built in a Debian 12 below DEB and run
# under qemu where the build asks commands for their help. Not python3-tputwin: its module is found through the Python
# that builds, which would have to be Arm's. Run by root; `make deb-arm64`.
set -eu
deb=$(cd "$1" && pwd)
mirror=${TPUTWIN_DEBIAN_MIRROR:-http://deb.debian.org/debian}
root=$deb/cross
[ "$(id -u)" = 0 ] || { echo "deb-arm64.sh: debootstrap and chroot want root" >&2; exit 2; }
leave() { umount "$root/build" "$root/ccache" "$root/dev" "$root/proc" 2>/dev/null || true; }
trap leave EXIT
leave
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
if [ ! -e "$root/ready" ]; then
  rm -rf --one-file-system "$root"
  debootstrap --variant=minbase bookworm "$root" "$mirror"
  inside dpkg --add-architecture arm64
fi
mkdir -p "$root/build" "$root/ccache"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind "$deb" "$root/build"
cp /etc/resolv.conf "$root/etc/"
mkdir -p "$deb/ccache-arm64" && mount --bind "$deb/ccache-arm64" "$root/ccache"
if [ ! -e "$root/ready" ]; then
  inside apt-get update -qq
  inside apt-get install -y -qq --no-install-recommends build-essential crossbuild-essential-arm64 ccache fakeroot
  inside apt-get build-dep -y -qq --no-install-recommends --host-architecture arm64 -P cross,nocheck /build/tputwin
  touch "$root/ready"
fi
inside sh -c 'cd /build/tputwin && CCACHE_DIR=/ccache CONFIG_SITE=/etc/dpkg-cross/cross-config.arm64 \
  DEB_BUILD_OPTIONS="nocheck parallel='"${JOBS:-$(nproc)}"'" dpkg-buildpackage -b -us -uc -aarm64 -Pcross,nocheck'
