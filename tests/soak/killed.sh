#!/bin/bash
# killed.sh TPUTWIN SOURCES: kills commands at different moments. Their files must be the old ones,
# or complete new ones. The next run must work as if the killed one had not happened.
set -eu
tputwin=$(realpath "$1") models=$(realpath "$2")/models
rounds=6
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "$*" >&2; exit 1; }

# Each of these functions writes to out/ and replaces the calling shell.
net() { exec "$tputwin" "$@"; }
calibrate() {
  net calibrate "$models/lenet_fashion.prototxt" "$models/lenet_fashion.caffemodel" --data images --name net --output out
}
compile() {
  net compile --caffemodel int8/bmnet_net_int8.caffemodel --table int8/bmnet_net_calibration_table.pb2 -o out/net.bmodel
}
run() { net run net.bmodel --input input --output out/results; }
look() { net run net.bmodel --image images --draw out/seen.png --format json --output out/seen.json; }
record() { net record -o out/run.tprec -- net.bmodel --input input; }
profile() { net profile --html out/page.html --trace out/trace.json -- net.bmodel --input input; }
timed() { TPUTWIN_TIMING=out/commands.jsonl net run net.bmodel --input input; }
all="calibrate compile run look record profile timed"

# The network reads these pictures: 28x28 grey values, as PNM.
mkdir images
for n in 1 2 3 4; do
  { printf 'P5 28 28 255\n'; head -c 784 < <(yes "picture $n"); } > images/$n.pgm
done
head -c 784 < <(yes input) > input

# Runs a command completely; later commands start from its results.
reference() {
  mkdir -p out
  ("$1") > log 2>&1 || fail "$1 ends with $?: $(cat log)"
  mv out "whole-$1"
}
reference calibrate; cp -r whole-calibrate int8
reference compile; cp whole-compile/net.bmodel .
for command in run look record profile timed; do reference $command; done

# Each file must be the complete new one or the old one. Temporary files of a killed run have other
# names.
check() {
  for file in "whole-$1"/*; do
    name=$(basename "$file")
    cmp -s "out/$name" "$file" || cmp -s "out/$name" old || fail "$1, $2: $name is neither the old file nor the new one"
  done
  for file in out/*; do
    name=$(basename "$file")
    case $name in *.part-*) continue ;; esac
    [ -e "whole-$1/$name" ] || fail "$1, $2: $name is unexpected"
  done
}
begin() {
  rm -rf out; mkdir out
  for file in "whole-$1"/*; do cp old "out/$(basename "$file")"; done
}
echo "old content" > old

killed=0 full=0
for command in $all; do
  # The command is killed when it writes more than this number of KiB.
  for blocks in 0 1 2 8; do
    begin $command
    (ulimit -f $blocks; $command) > /dev/null 2>&1 || full=$((full + 1))
    check $command "no more than $blocks KiB"
  done
  # SIGKILL ends the command when a temporary file exists, and at other moments.
  for ((round = 0; round < rounds; ++round)); do
    begin $command
    ($command) > /dev/null 2>&1 & one=$!
    for ((moment = 0; moment < 100 * round; ++moment)); do
      compgen -G 'out/*.part-*' > /dev/null && break
    done
    kill -9 $one 2> /dev/null && killed=$((killed + 1))
    wait $one 2> /dev/null || true
    check $command "round $round"
  done
  begin $command
  ($command) > log 2>&1 || fail "$command ends with $? afterwards: $(cat log)"
  for file in "whole-$command"/*; do
    cmp "out/$(basename "$file")" "$file" || fail "$command writes something else afterwards"
  done
done
# A program that uses no device must give an error, and keep the old file.
begin record
if (net record -o out/run.tprec -- /bin/true) > log 2>&1; then fail "a recording of nothing"; fi
check record "of nothing"
begin profile
if (net profile --html out/page.html -- /bin/true) > log 2>&1; then fail "a profile of nothing"; fi
check profile "of nothing"
[ $killed -gt 0 ] && [ $full -gt 0 ] || fail "nothing was killed ($killed, $full)"
echo "$killed commands were killed by signals, $full by the limit of file sizes"
