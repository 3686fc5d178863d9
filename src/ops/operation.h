// Operation: any one of the machine's operations, with dispatch to its contract and body.
#pragma once

#include <variant>

#include "ops/bitwise.h"
#include "ops/channel_affine.h"
#include "ops/conv2d.h"
#include "ops/convert.h"
#include "ops/copy.h"
#include "ops/cpu_call.h"
#include "ops/depthwise2d.h"
#include "ops/dma_lrn_shift.h"
#include "ops/dma_matrix.h"
#include "ops/dma_tensor.h"
#include "ops/dma_winograd_kernel.h"
#include "ops/elementwise.h"
#include "ops/fixed_point.h"
#include "ops/fixed_point_wide.h"
#include "ops/float_arithmetic.h"
#include "ops/float_function.h"
#include "ops/gather.h"
#include "ops/int8_to_f32.h"
#include "ops/int_arithmetic.h"
#include "ops/load_table.h"
#include "ops/lut.h"
#include "ops/mask_select.h"
#include "ops/matmul.h"
#include "ops/matrix_mac.h"
#include "ops/matrix_mac2.h"
#include "ops/mdsum.h"
#include "ops/pool2d.h"
#include "ops/rearrange.h"
#include "ops/requantise.h"
#include "ops/scatter.h"
#include "ops/select.h"
#include "ops/sequence.h"
#include "ops/sort.h"
#include "ops/unary.h"
#include "ops/unary_f32.h"
#include "ops/winograd2d.h"

namespace tputwin {

using AnyOperation =
    std::variant<Conv2d, Winograd2d, Depthwise2d, Pool2d, MatrixMac, MatrixMac2, Elementwise, Mdsum,
                 Lut, DmaTensor, DmaMatrix, DmaLrnShift, DmaWinogradKernel, Conv2dF32,
                 Depthwise2dF32, Pool2dF32, MatmulF32, FloatArithmetic, UnaryF32, ChannelAffine,
                 Int8ToF32, Select, Bitwise, FixedPoint, SplitByte, Mul16By8, MulS16ByU8, Copy,
                 CopyMatrix, FloatFunction, IntArithmetic, Unary, Convert, Requantise, Rearrange,
                 Gather, Scatter, MaskSelect, Sort, Sequence, LoadTable, TableLookup, Conv2dFloat,
                 Conv2dQuant, Depthwise2dFloat, Depthwise2dQuant, Pool2dFloat, Pool2dQuant,
                 MatmulFloat, MatmulGrouped, MatmulInt, CpuCall>;

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
