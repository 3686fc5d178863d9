#!/bin/sh
# Tests the kernels of AMX and AVX-VNNI on a host that has them. Nothing but tar and xz needs to be
# installed there.
#
#   tests/on_amx.sh pack BUILD FOLDER   copies programs, libraries and recordings of a build to FOLDER
#   FOLDER/on_amx.sh [SET...]           runs them, in under three minutes on 16 processors; SET: amx avx2_vnni
#
# Prints a line for each instruction set and test. Exits with 1 if a test fails, with 2 for wrong
# arguments, and with 77 if the host has none of the sets.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
programs="on_target test_vectors test_differential test_machine conformance-bmk1880 conformance-bm168x"

pack() {
  build=$1 folder=$2
  rm -rf "$folder/lib" "$folder/data"
  mkdir -p "$folder/lib" "$folder/data"
  for program in $programs; do
    cp "$build/bin/$program" "$folder/"
    strip "$folder/$program"
    ldd "$build/bin/$program"
  done | awk '$3 ~ /^\// { print $3 }' | sort -u |
    # All libraries but the C library and the loader, which must be those of the host.
    grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
    while read -r library; do cp -L "$library" "$folder/lib/"; done
  strip "$folder"/lib/*
  tar -C "$folder" -cJf "$folder/lib.tar.xz" lib
  rm -rf "$folder/lib"
  cp -r "$here/conformance/bmk1880/golden" "$folder/data/bmk1880"
  cp -r "$here/conformance/bm168x/bm1684x" "$folder/data/bm1684x"
  cp "$here/on_amx.sh" "$folder/"
  du -sh "$folder"
}

if [ "${1:-}" = pack ] && [ $# = 3 ]; then
  pack "$2" "$3"
  exit
elif [ ! -e "$here/lib.tar.xz" ] || [ "${1:-}" = pack ]; then
  sed -n '/^#   /s/^#   //p' "$0" >&2
  exit 2
fi

cd "$here"
[ -d lib ] || tar -xJf lib.tar.xz
export LD_LIBRARY_PATH="$here/lib"
./on_target --list
failed=0 found=0

# check NAME COMMAND...: runs the command, and prints its last lines if it fails.
check() {
  name=$1
  shift
  start=$(date +%s)
  if "$@" > log 2>&1; then
    echo "ok      $isa: $name ($(($(date +%s) - start)) s)"
  else
    echo "FAILED  $isa: $name"
    tail -5 log
    failed=1
  fi
}

[ $# -gt 0 ] || set -- amx avx2_vnni
for isa; do
  ./on_target "$isa" true || continue
  found=1
  export TPUTWIN_ISA="$isa"
  check "steps of products" ./test_vectors --gtest_brief=1
  check "recorded cases of the BM1880" ./conformance-bmk1880 --check data/bmk1880 --salt public --together \
    --targets "$isa"
  check "recorded networks of the BM1684X" env TPUTWIN_CHIP=BM1684X ./conformance-bm168x data/bm1684x --shard 0/2
  check "random operations" ./test_differential --cases 40 --isa "$isa"
  check "optimized programs" ./test_machine --gtest_brief=1 "--gtest_filter=*Plans*$isa*:DeferredSums*:*/$isa"
done
[ $found = 1 ] || exit 77
exit $failed
