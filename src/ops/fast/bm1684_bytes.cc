// conv2d, winograd2d, depthwise2d, pool2d and matmul of the BM1684's bytes, and copy_add: their
// reference bodies are what there is.
#include "ops/conv/conv2d_bm1684_int8.h"
#include "ops/conv/depthwise2d_bm1684_int8.h"
#include "ops/conv/winograd2d_bm1684.h"
#include "ops/fast/fast.h"
#include "ops/index/l2_function.h"
#include "ops/matmul/matmul_bm1684_int8.h"
#include "ops/move/copy_add.h"
#include "ops/pool/pool2d_bm1684_int8.h"

namespace tputwin::fast {

bool execute(const Conv2dBm1684Int8&, const Memory&) { return false; }
bool execute(const Winograd2dBm1684&, const Memory&) { return false; }
bool execute(const Depthwise2dBm1684Int8&, const Memory&) { return false; }
bool execute(const Pool2dBm1684Int8&, const Memory&) { return false; }
bool execute(const MatmulBm1684Int8&, const Memory&) { return false; }
bool execute(const L2Function&, const Memory&) { return false; }
bool execute(const CopyAdd&, const Memory&) { return false; }

}  // namespace tputwin::fast
