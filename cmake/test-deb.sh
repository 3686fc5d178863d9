#!/bin/sh
# test-deb.sh DEB [SUITE]: makes a fresh Debian below DEB, installs the packages of DEB with apt,
# and runs the commands of pages as a separate user: start.md, course.md, bmkernel.md, onnx.md,
# compiler168x.md, ci.md and python.md. Only the packages that the pages name are installed. The script prints the
# seconds of each section at the end. It needs root: `make test-deb`.
set -eu
deb=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
. "$source/cmake/fresh-debian.sh"
arch=$(dpkg --print-architecture)
ls "$deb"/tputwin_*_"$arch".deb >/dev/null || { echo "test-deb.sh: no packages in $deb; make deb" >&2; exit 2; }

echo "== a fresh Debian ${2:-bookworm}"
fresh_debian "${2:-bookworm}" "$deb/${2:-bookworm}" "$deb/.."
home=$root/home/stranger
inside useradd --create-home --shell /bin/bash stranger
cp "$deb"/*_"$arch".deb "$home"
user() { inside su - stranger -c "$1"; }
# asks_for PAGE: installs the packages that the page lists, as root in the user's folder.
asks_for() {
  sed -n 's/^ *sudo apt install/apt-get install -y -qq/p' "$source/docs/$1.md" >"$home/install.sh"
  cat "$home/install.sh"
  logged inside sh -euc 'cd /home/stranger && . ./install.sh'
}

echo "== install, as docs/start.md describes"
asks_for start

echo "== commands, manual pages and completion exist; every instruction set gives the same bytes"
user 'tputwin --version; for tool in tputwin bintool bmrt_test tputwin-config; do test -e /usr/share/man/man1/$tool.1.gz; done'
user 'test -e /usr/share/zsh/vendor-completions/_tputwin -a -e /usr/share/bash-completion/completions/tputwin'
user 'tputwin selftest --cases 20'

for page in start course bmkernel onnx compiler168x ci; do
  echo "== docs/$page.md"
  [ "$page" = start ] || asks_for "$page"
  mkdir "$home/$page"
  cp "$source/tests/install/run_page.py" "$source/docs/$page.md" "$home/$page"
  [ "$page" != ci ] || cp -r "$root/usr/share/doc/tputwin/examples/ci/." "$home/$page"
  inside chown -R stranger: "/home/stranger/$page"
  user "cd $page && python3 run_page.py $page.md . >../$page.txt 2>&1" || { cat "$home/$page.txt"; exit 1; }
  cat "$home/$page.txt"
done

echo "== docs/python.md"
logged inside apt-get install -y -qq --no-install-recommends python3-pytest
user 'cp -r /usr/share/doc/tputwin/examples tutorial && mkdir tutorial/docs'
cp "$source/docs/python.md" "$home/tutorial/docs"
cp -r "$source/tests/python" "$home/tutorial/tests"
user 'cd tutorial && python3 -m pytest -q --durations=1 tests/python/test_tutorial.py >../python.txt 2>&1' || { cat "$home/python.txt"; exit 1; }

echo "== purging the packages removes all files"
packages="libtputwin0 libtputwin-dev tputwin python3-tputwin"
inside sh -c "dpkg -L $packages" | while read -r path; do [ -d "$root$path" ] || echo "$path"; done >"$home/files.txt"
logged inside apt-get purge -y -qq $packages
left=$(inside sh -c 'xargs ls -d 2>/dev/null </home/stranger/files.txt; find /etc /opt /srv /usr /var/lib -name "*tputwin*"')
[ -z "$left" ] || { printf 'test-deb.sh: these files were not removed:\n%s\n' "$left" >&2; exit 1; }
echo "== all pages passed; seconds of their sections:"
cd "$home"
# Each block ends with the seconds of its section so far. The last number of a section counts.
awk '/^# [0-9.]+ s: / { seconds = $2; title = FILENAME; sub(/txt$/, "md:", title); sub(/^# [0-9.]+ s:/, title)
                        if (!($0 in took)) order[++n] = $0; took[$0] = seconds }
     END { for (i = 1; i <= n; ++i) printf "%6.1f  %s\n", took[order[i]], order[i] }' start.txt course.txt bmkernel.txt onnx.txt compiler168x.txt ci.txt
awk '/^[0-9.]+s call / { printf "%6.1f  python.md\n", $1 }' python.txt
