// winograd2d and matmul of the BM1684's bytes: their reference bodies are what there is.
#include "ops/conv/winograd2d_bm1684.h"
#include "ops/fast/fast.h"
#include "ops/matmul/matmul_bm1684_int8.h"

namespace tputwin::fast {

bool execute(const Winograd2dBm1684&, const Memory&) { return false; }
bool execute(const MatmulBm1684Int8&, const Memory&) { return false; }

}  // namespace tputwin::fast
