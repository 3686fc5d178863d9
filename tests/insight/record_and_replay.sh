# record_and_replay.sh TPUTWIN FOLDER PROGRAM: records a program, repeats the run in several ways,
# compares the recording with itself, and checks it.
set -eu
run="$2/$(basename "$3").tprec"
"$1" record -o "$run" -- "$3" >/dev/null
for way in "" --reference "--threads 1" "--schedule shuffled --seed 3" "--schedule dma_first"; do
  "$1" replay "$run" $way
done
"$1" diff "$run" --b-isa reference
"$1" diff "$run" --a-schedule compute_first --b-threads 1
"$1" check "$run"
head -c 1000 "$run" >"$run.short"
if "$1" replay "$run.short"; then exit 1; fi
rm "$run" "$run.short"
