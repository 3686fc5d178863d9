// Kernels load and store with any steps: they make moves of elements themselves.
#pragma once

#include "bmnet/targets/bm1684x/stream_compilation.h"

namespace tputwin::net::bm1684x {

// Lets kernels read the source of a move instead of its result, or write the result instead of the
// source, where one transfer of runs can do both. Such moves are skipped, in
// Compilation::skipped_moves. Example: heads of attention are read from the product that makes
// them.
Status skip_moves(StreamCompilation& c);

}  // namespace tputwin::net::bm1684x
