// Operation: any one of the machine's operations, with dispatch to its contract and body.
#pragma once

#include <variant>

#include "ops/conv/conv2d_bm1684.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/conv2d_bm1684x_int8.h"
#include "ops/conv/conv2d_bm1880.h"
#include "ops/conv/depthwise2d_bm1684.h"
#include "ops/conv/depthwise2d_bm1684x_float.h"
#include "ops/conv/depthwise2d_bm1684x_int8.h"
#include "ops/conv/depthwise2d_bm1880.h"
#include "ops/conv/winograd2d.h"
#include "ops/cpu_call.h"
#include "ops/elementwise/bitwise.h"
#include "ops/elementwise/channel_affine.h"
#include "ops/elementwise/convert.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/fixed_point.h"
#include "ops/elementwise/fixed_point_wide.h"
#include "ops/elementwise/float_arithmetic.h"
#include "ops/elementwise/float_function.h"
#include "ops/elementwise/int8_to_f32.h"
#include "ops/elementwise/int_arithmetic.h"
#include "ops/elementwise/requantise.h"
#include "ops/elementwise/select.h"
#include "ops/elementwise/sequence.h"
#include "ops/elementwise/unary.h"
#include "ops/elementwise/unary_f32.h"
#include "ops/index/gather.h"
#include "ops/index/lut.h"
#include "ops/index/mask_select.h"
#include "ops/index/scatter.h"
#include "ops/index/sort.h"
#include "ops/index/table_lookup.h"
#include "ops/matmul/matmul_bm1684.h"
#include "ops/matmul/matmul_bm1684x_fp32.h"
#include "ops/matmul/matmul_bm1684x_half.h"
#include "ops/matmul/matmul_bm1684x_int.h"
#include "ops/matmul/matrix_mac.h"
#include "ops/matmul/matrix_mac2.h"
#include "ops/move/copy.h"
#include "ops/move/dma_lrn_shift.h"
#include "ops/move/dma_matrix.h"
#include "ops/move/dma_tensor.h"
#include "ops/move/dma_winograd_kernel.h"
#include "ops/move/load_table.h"
#include "ops/move/rearrange.h"
#include "ops/pool/mdsum.h"
#include "ops/pool/pool2d_bm1684.h"
#include "ops/pool/pool2d_bm1684x_float.h"
#include "ops/pool/pool2d_bm1684x_int8.h"
#include "ops/pool/pool2d_bm1880.h"

namespace tputwin {

using AnyOperation = std::variant<
    Conv2dBm1880, Winograd2d, Depthwise2dBm1880, Pool2dBm1880, MatrixMac, MatrixMac2, Elementwise,
    Mdsum, Lut, DmaTensor, DmaMatrix, DmaLrnShift, DmaWinogradKernel, Conv2dBm1684,
    Depthwise2dBm1684, Pool2dBm1684, MatmulBm1684, FloatArithmetic, UnaryF32, ChannelAffine,
    Int8ToF32, Select, Bitwise, FixedPoint, SplitByte, Mul16By8, MulS16ByU8, Copy, CopyMatrix,
    FloatFunction, IntArithmetic, Unary, Convert, Requantise, Rearrange, Gather, Scatter,
    MaskSelect, Sort, Sequence, LoadTable, TableLookup, Conv2dBm1684xFloat, Conv2dBm1684xInt8,
    Depthwise2dBm1684xFloat, Depthwise2dBm1684xInt8, Pool2dBm1684xFloat, Pool2dBm1684xInt8,
    MatmulBm1684xFp32, MatmulBm1684xHalf, MatmulBm1684xInt, CpuCall>;

// How an operation is copied, moved and destroyed is compiled once, not wherever one is held: of so
// many alternatives that takes seconds.
struct Operation : AnyOperation {
  using AnyOperation::AnyOperation;
  Operation();
  Operation(const Operation&);
  Operation(Operation&&) noexcept;
  Operation& operator=(const Operation&);
  Operation& operator=(Operation&&) noexcept;
  ~Operation();
};

// Dispatch to the alternative held. CpuCall has no operands, no footprint and no body here: the
// device hands it to its CPU operator host.
std::string_view name(const Operation&);
Engine engine(const Operation&);
OperandList operands(const Operation&);
Status check(const Operation&, const Chip&);
Footprint footprint(const Operation&, const Chip&);
Cost cost(const Operation&, const Chip&);

// Operands inside local memory and inside `global_bytes` of global memory.
Status check_bounds(const Operation&, const Chip&, uint64_t global_bytes);

// Runs the body. reference: the definition. automatic: the fastest body that is proved equal.
enum class Body : uint8_t { automatic, reference };
void execute(const Operation&, const Memory&, Body body = Body::automatic);
// Runs a fast body, if one covers the operands on the instruction set in force.
bool execute_fast(const Operation&, const Memory&);

}  // namespace tputwin
