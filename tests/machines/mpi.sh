#!/bin/bash
# mpi.sh TPUTWIN MPIRUN SOURCES: an evaluation alone, by three processes, and by three of which one
# is killed and which then goes on from its checkpoint. All say the same.
set -eu
tputwin=$1 mpirun=$2 models=$3/models
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
images=/usr/share/datasets/fashion-mnist
fail() { echo "$*" >&2; exit 1; }

"$tputwin" calibrate "$models/resnet_fashion.prototxt" "$models/resnet_fashion.caffemodel" \
  --data $images/train-images-idx3-ubyte.gz --samples 32 --scale 0.00390625 --name net --output . > log
"$tputwin" compile --caffemodel bmnet_net_int8.caffemodel --table bmnet_net_calibration_table.pb2 \
  --shape 10,1,28,28 -o net.bmodel >> log
evaluate=("$tputwin" eval --prototxt "$models/resnet_fashion.prototxt" --caffemodel
  "$models/resnet_fashion.caffemodel" --bmodel net.bmodel --data $images/t10k-images-idx3-ubyte.gz
  --scale 0.00390625 --samples 2990)
# all but the speed
figures() { sed 's/, [0-9.]* images.s//' "$1"; }

"${evaluate[@]}" > alone
"$mpirun" -n 3 "${evaluate[@]}" > together || fail "three processes end with $?"
cmp <(figures alone) <(figures together) || fail "three processes say something else"

# The third dies when something is done: the run ends, with the way to go on.
cat > dying <<'END'
#!/bin/bash
"$@" --checkpoint part & mine=$!
if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then
  until [ -s part ]; do read -rt 0.02 <> <(:) || true; done
  kill -9 $mine
fi
wait $mine
END
chmod +x dying
if "$mpirun" -n 3 ./dying "${evaluate[@]}" > died 2> why; then fail "nobody died"; fi
[ -s part ] || fail "no checkpoint"
done=$(($(wc -l < part) - 1))
[ "$done" -gt 0 ] || fail "the checkpoint is empty"
[ ! -s died ] || fail "figures of a run that did not end"
"$mpirun" -n 2 "${evaluate[@]}" --checkpoint part > resumed || fail "going on ends with $?"
cmp <(figures alone) <(figures resumed) || fail "the run that went on says something else"
[ ! -e part ] || fail "the checkpoint is left"

# A checkpoint of another run is refused, by one process and by three.
printf 'tputwin campaign 00000000, 1 units\n' > part
for start in "" "$mpirun -n 3"; do
  if $start "${evaluate[@]}" --checkpoint part > refused 2> why; then fail "another's checkpoint is taken"; fi
  grep -q TW-CLI-0061 why || fail "$(cat why)"
done
echo "$done units were done when one died"
