#!/usr/bin/env bash
# Debian 12's GCC 12 removes the call of a function whose only effect is __builtin_prefetch.
# Expected: the code contains the prefetch that the source requests (clang 14 emits it), or the
# compiler warns. Seen: with -O2, the code has no prefetch and no call if the function is not
# inlined. If it is inlined, the code has the prefetch.
set -euo pipefail
command -v gcc-12 >/dev/null || { echo "gcc-12 is not installed"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > rows.c <<'C'
#include <stddef.h>
HOW static void prefetch_row(const char* row, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(row + i);
}
float sum(const float* data, size_t rows, size_t columns) {
  float total = 0;
  for (size_t r = 0; r < rows; r++) {
    prefetch_row((const char*)(data + (r + 4) * columns), 4 * columns);
    for (size_t c = 0; c < columns; c++) total += data[r * columns + c];
  }
  return total;
}
C
gcc-12 --version | head -1
# prefetches COMPILER ATTRIBUTE: prints the number of prefetch instructions in the assembly.
prefetches() { "$1" -O2 -Wall -Wextra "-DHOW=__attribute__(($2))" -S -o - rows.c 2>/dev/null | grep -c prefetch || true; }
called=$(prefetches gcc-12 noinline)
inlined=$(prefetches gcc-12 always_inline)
echo "gcc-12 -O2: $called prefetches if the function is not inlined, $inlined if it is"
if command -v clang-14 >/dev/null; then
  clang=$(prefetches clang-14 noinline)
  echo "clang-14 -O2: $clang if it is not inlined"
  [ "$clang" -gt 0 ]
fi
[ "$called" = 0 ] && [ "$inlined" -gt 0 ]
