#!/bin/sh
# deb-in.sh DEB SUITE [arm64]: builds packages of the sources in DEB/tputwin, in a fresh Debian
# below DEB. Use it for another Debian than this machine's, whose libraries have other names. Or use
# it to cross-build for 64-bit Arm. Some dependencies (libgdal, libgflags) cannot be installed for
# arm64 and amd64 together, so a development system would lose the amd64 ones. Programs built for
# Arm then run under qemu. The script needs root: `make deb SUITE=trixie`, `make deb-arm64`.
set -eu
deb=$(cd "$1" && pwd)
arch=${3:-$(dpkg --print-architecture)}
. "$(dirname "$0")/fresh-debian.sh"
profiles=nocheck cross="" compiler=g++
if [ "$arch" != "$(dpkg --print-architecture)" ]; then
  profiles=cross,nopython,nocheck cross="-a $arch" compiler=crossbuild-essential-$arch
fi

echo "== Debian $2, compilers and libraries"
fresh_debian "$2" "$deb/builder-$2-$arch" "$deb/.."
# The compiler cache is stored next to DEB, at paths that never change. A later build then takes
# minutes.
mkdir -p "$deb/../ccache-$2-$arch" "$root/ccache" "$root/build"
mount --bind "$deb/../ccache-$2-$arch" "$root/ccache"
cp -r "$deb/tputwin" "$root/build/tputwin"
[ -z "$cross" ] || { inside dpkg --add-architecture "$arch" && inside apt-get update -qq; }
logged inside sh -c "cd /build/tputwin && apt-get build-dep -y -qq --no-install-recommends $cross -P $profiles ./ &&
  apt-get install -y -qq --no-install-recommends $compiler ccache lintian"

echo "== packages"
inside CCACHE_DIR=/ccache CCACHE_BASEDIR= nice -n 10 sh -c "cd /build/tputwin && DEB_BUILD_OPTIONS='nocheck parallel=${JOBS:-$(nproc)}' \
  TPUTWIN_WERROR=${TPUTWIN_WERROR:-OFF} TPUTWIN_COMMIT=${TPUTWIN_COMMIT:-} dpkg-buildpackage -b -us -uc $cross -P$profiles"
inside sh -c "cd /build && lintian --fail-on error,warning tputwin_*_$arch.changes"
cp "$root"/build/*_"$arch".deb "$deb/"
ls -l "$deb"/*_"$arch".deb
[ -n "$cross" ] || exit 0

echo "== installed, and run by an emulator"
logged inside sh -c "cd /build && apt-get install -y -qq --no-install-recommends ./libtputwin0_*_$arch.deb ./tputwin_*_$arch.deb"
emulated() { inside timeout 1200 qemu-aarch64-static /usr/bin/"$@"; }
recorded=/build/tputwin/tests/conformance/bm168x/bm1684x
emulated tputwin --version
emulated tputwin selftest --random --cases 2
emulated tputwin run $recorded/nets-lenet-int8.bmodel --output /build/seen.bin
emulated tputwin run $recorded/nets-lenet-int8.bmodel --reference --compare /build/seen.bin
