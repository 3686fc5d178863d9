#!/bin/sh
# test-deb.sh DEB [SUITE]: a fresh Debian below DEB, the packages of DEB installed with apt, and the pages start.md,
# ci.md, bmkernel.md, onnx.md and python.md done by a user of its own. Run by root; `make test-deb`. TPUTWIN_DEBIAN_MIRROR says from where.
set -eu
deb=$(cd "$1" && pwd)
suite=${2:-bookworm}
source=$(cd "$(dirname "$0")/.." && pwd)
mirror=${TPUTWIN_DEBIAN_MIRROR:-http://deb.debian.org/debian}
root=$deb/$suite
base=$deb/../$suite-base.tar

[ "$(id -u)" = 0 ] || { echo "test-deb.sh: debootstrap and chroot want root" >&2; exit 2; }
ls "$deb"/tputwin_*.deb >/dev/null || { echo "test-deb.sh: no packages in $deb; make deb" >&2; exit 2; }
leave() { umount "$root/dev" "$root/proc" 2>/dev/null || true; }
trap leave EXIT
leave
rm -rf --one-file-system "$root"
mkdir -p "$root"
if [ ! -e "$base" ]; then
  debootstrap --variant=minbase "$suite" "$root" "$mirror"
  tar -C "$root" -cf "$base.new" . && mv "$base.new" "$base"
else
  tar -C "$root" -xf "$base"
fi
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/"
if [ "$suite" = bookworm ]; then
  printf 'deb %s bookworm main\ndeb %s bookworm-updates main\ndeb %s-security bookworm-security main\n' \
    "$mirror" "$mirror" "$mirror" >"$root/etc/apt/sources.list"
fi
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
user() { inside su - stranger -c "$1"; }

echo "== install, as docs/start.md says"
cp "$deb"/*_"$(dpkg --print-architecture)".deb "$root/root/"
inside apt-get update -qq
inside sh -c 'cd /root && apt-get install -y -qq ./libtputwin0_*.deb ./libtputwin-dev_*.deb ./tputwin_*.deb \
  ./python3-tputwin_*.deb' >"$deb/$suite.log" 2>&1 || { tail "$deb/$suite.log"; exit 1; }
inside apt-get install -y -qq --no-install-recommends g++ dataset-fashion-mnist cmake make man-db \
  python3-onnx protobuf-compiler >>"$deb/$suite.log" 2>&1
inside useradd --create-home --shell /bin/bash stranger

echo "== commands, manual pages and completion are there"
user 'tputwin --version; for tool in tputwin bintool bmrt_test tputwin-config; do man -w $tool >/dev/null; done'
user 'test -e /usr/share/zsh/vendor-completions/_tputwin -a -e /usr/share/bash-completion/completions/tputwin'

for page in start ci bmkernel onnx; do
  echo "== docs/$page.md"
  mkdir "$root/home/stranger/$page"
  cp "$source/tests/install/run_page.py" "$source/docs/$page.md" "$root/home/stranger/$page"
  [ "$page" != ci ] || cp -r "$root/usr/share/doc/tputwin/examples/ci/." "$root/home/stranger/$page"
  inside chown -R stranger: "/home/stranger/$page"
  user "cd $page && python3 run_page.py $page.md ."
done

echo "== docs/python.md, from the repository's folder"
tree=$root/home/stranger/tputwin
mkdir -p "$tree/tests/conformance/bm168x" "$tree/docs"
cp "$source/docs/python.md" "$tree/docs"
cp -r "$source/models" "$tree"
cp -r "$source/tests/conformance/bm168x/bm1684x" "$tree/tests/conformance/bm168x"
cp -r "$source/tests/python" "$tree/tests"
inside apt-get install -y -qq --no-install-recommends python3-pytest >>"$deb/$suite.log" 2>&1
inside chown -R stranger: /home/stranger/tputwin
user 'cd tputwin && python3 -m pytest -q tests/python/test_tutorial.py'

echo "== removed without a rest"
inside sh -c "apt-get purge -y -qq 'libtputwin*' tputwin python3-tputwin" >>"$deb/$suite.log" 2>&1
if inside sh -c 'ls -d /usr/lib/*/tputwin /usr/include/okk.h /usr/lib/python3/dist-packages/tputwin' 2>/dev/null; then
  echo "test-deb.sh: files are left" >&2
  exit 1
fi
echo "== the packages do what the pages say"
