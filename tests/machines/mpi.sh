#!/bin/bash
# mpi.sh TPUTWIN MPIRUN SOURCES: runs an evaluation and a calibration in one process, in three
# processes, and in three processes of which one is killed. The killed run continues from its
# checkpoint. All runs must print and write the same.
set -eu
tputwin=$1 mpirun=$2 models=$3/models
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
images=/usr/share/datasets/fashion-mnist
stem=$models/resnet_fashion
fail() { echo "$*" >&2; exit 1; }

# run FOLDER COMMAND...: makes the folder with the files that the command writes, and with its
# output without the speed.
run() {
  mkdir "$1"
  (cd "$1" && "${@:2}" > printed) || return
  sed -i 's/, [0-9.]* images.s//' "$1/printed"
}
same() { diff -r alone "$1" || fail "$2"; }

# This script kills the third of three processes when a unit is done.
cat > dying <<'END_OF_DYING'
#!/bin/bash
[ "$OMPI_COMM_WORLD_RANK" = 2 ] || exec "$@"
"$@" & mine=$!
until [ -s ../part ] || ! kill -0 $mine; do read -rt 0.02 <> <(:) || true; done
kill -9 $mine
wait $mine
END_OF_DYING
chmod +x dying

# On a busy host, all units may be done before the third process is killed. The function then tries
# again.
die_in_time() {
  local try
  for try in 1 2 3 4 5; do
    rm -rf died part
    if run died "$mpirun" -n 3 ../dying "$@" --checkpoint ../part 2> why; then echo "no process was killed" >> why; continue; fi
    if [ -s part ] && grep -q "the file of --checkpoint" why; then return; fi
  done
  fail "no run ended with a message about --checkpoint: $(cat why)"
}

campaign() {
  run alone "$@"
  run together "$mpirun" -n 3 "$@" || fail "three processes end with $?"
  same together "three processes print or write something else"

  die_in_time "$@"
  done=$(($(wc -l < part) - 1))
  [ "$done" -gt 0 ] || fail "the checkpoint is empty"
  [ "$(find died -type f -size +0)" = "" ] || fail "a run that did not end printed figures"
  head -n 1 part > head
  cp part begun
  run resumed "$mpirun" -n 2 "$@" --checkpoint ../part || fail "the run that continues ends with $?"
  same resumed "the run that continued prints or writes something else"
  [ ! -e part ] || fail "the checkpoint was not removed"
  mv begun part
  run resumed_alone "$@" --checkpoint ../part || fail "the process that continues alone ends with $?"
  same resumed_alone "one process that continued prints or writes something else"

  # One process and three processes must refuse a checkpoint of another run.
  printf 'tputwin campaign 00000000, 1 units\n' > part
  for start in "" "$mpirun -n 3"; do
    if $start "$@" --checkpoint part > refused 2> why; then fail "a checkpoint of another run is accepted"; fi
    grep -q TW-CLI-0061 why || fail "$(cat why)"
  done
  rm -r part alone together died resumed resumed_alone
  echo "$2: $done units were done when a process was killed"
}

calibrate=("$tputwin" calibrate "$stem.prototxt" "$stem.caffemodel" --scale 0.00390625 --name net
  --data $images/train-images-idx3-ubyte.gz)
"${calibrate[@]}" --samples 32 > log
"$tputwin" compile --caffemodel bmnet_net_int8.caffemodel --table bmnet_net_calibration_table.pb2 \
  --shape 10,1,28,28 -o net.bmodel >> log
campaign "$tputwin" eval --prototxt "$stem.prototxt" --caffemodel "$stem.caffemodel" \
  --bmodel "$folder/net.bmodel" --data $images/t10k-images-idx3-ubyte.gz --scale 0.00390625 --samples 2990
campaign "${calibrate[@]}" --samples 1000 --batch 5 --report report.json

# The program validates the lines of a checkpoint. One line here is not packed; the other is that of
# a net without tensors.
while read -r id line; do
  for start in "" "$mpirun -n 3"; do
    printf '%s\n0 %s\n' "$(cat head)" "$line" > part
    if $start "${calibrate[@]}" --samples 1000 --batch 5 --checkpoint part > refused 2> why < /dev/null; then
      fail "\"$line\" is accepted"
    fi
    grep -q "$id" why || fail "$(cat why)"
  done
done <<'LINES'
TW-CLI-0061 3 AAAA
TW-NET-0310 0 eJwDAAAAAAE=
LINES

# Processes with different work must not cooperate.
if "$mpirun" -n 2 "${calibrate[@]}" --samples 100 : -n 1 "${calibrate[@]}" --samples 99 > refused 2> why; then
  fail "processes of different calibrations work together"
fi
grep -q TW-CLI-0060 why || fail "$(cat why)"
