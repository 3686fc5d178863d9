// Random legal operations of every kind, with memory to run them on. Deterministic by seed.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "chip/chip.h"
#include "memory/memory.h"
#include "ops/operation.h"
#include "selftest/rng.h"

namespace tputwin::testing {

// The alternatives of Operation that have a body, in its order, then some on another chip.
enum class OperationKind : uint8_t {
  conv2d,
  winograd2d,
  depthwise2d,
  pool2d,
  matrix_mac,
  matrix_mac2,
  elementwise,
  mdsum,
  lut,
  dma_tensor,
  dma_matrix,
  dma_lrn_shift,
  dma_winograd_kernel,
  conv2d_f32,
  depthwise2d_f32,
  pool2d_f32,
  matmul_f32,
  float_arithmetic,
  unary_f32,
  channel_affine,
  int8_to_f32,
  select,
  bitwise,
  fixed_point,
  split_byte,
  mul_16_by_8,
  mul_s16_by_u8,
  copy,
  copy_matrix,
  float_function,
  int_arithmetic,
  unary,
  convert,
  requantise,
  rearrange,
  gather,
  scatter,
  mask_select,
  sort,
  sequence,
  load_table,
  table_lookup,
  conv2d_float,
  conv2d_quant,
  depthwise2d_float,
  depthwise2d_quant,
  pool2d_float,
  pool2d_quant,
  matmul_float,
  matmul_grouped,
  matmul_int,
  // Alternatives of the BM1684 above, with the rules and types of the BM1684X.
  tpu_float_arithmetic,
  tpu_select,
  tpu_bitwise,
  tpu_copy,
  tpu_copy_matrix
};
constexpr size_t kOperationKinds = static_cast<size_t>(OperationKind::tpu_copy_matrix) + 1;
constexpr bool is_bm1684x(OperationKind kind) { return kind >= OperationKind::float_function; }
constexpr bool is_bm1684(OperationKind kind) {
  return kind >= OperationKind::conv2d_f32 && !is_bm1684x(kind);
}
// The index in Operation.
size_t alternative_of(OperationKind kind);
// The chip random operations of a kind are for: the BM1880, or a BM1684 or BM1684X with smaller
// memories, so that they are quickly compared.
const Chip& chip_of(OperationKind kind);
std::span<const OperationKind> all_operation_kinds();
std::string_view to_string(OperationKind kind);

// Bytes of global memory that random operations address.
constexpr uint64_t kTestGlobalBytes = 1 << 22;

// An operation that passes check() without an error (warnings happen) and check_bounds() with
// kTestGlobalBytes: odd shapes, all layouts, start lanes, in-place use, the ends of lanes, extreme
// shifts. Work is small (about 100,000 multiplications at most, but for matrix_mac2).
Operation random_operation(Rng& rng, OperationKind kind, const Chip& chip);
inline Operation random_operation(Rng& rng, OperationKind kind) {
  return random_operation(rng, kind, chip_of(kind));
}

// Fills everything the operation reads or writes: uniform bytes, small values, extremes or sparse.
void fill_operands(Rng& rng, const Operation& operation, const Chip& chip, const Memory& memory);
void fill_random(Rng& rng, std::span<uint8_t> bytes);

// check() has no violation of level error, and all operands are in bounds.
bool is_legal(const Operation& operation, const Chip& chip, uint64_t global_bytes);

// "conv: ofmap i8(1,3,4,4)@..., ..., rshift 3": enough to understand a failure.
std::string describe(const Operation& operation);

// Lanes and a small global memory of their own.
class TestMemory {
 public:
  explicit TestMemory(const Chip& chip = bm1880(), uint64_t global_bytes = kTestGlobalBytes);
  Memory memory() { return {local_, *global_, l2_.get(), dtcm_.get()}; }
  LocalMemory& local() { return local_; }
  GlobalMemory& global() { return *global_; }
  // First byte of a range's lane or memory.
  uint8_t* start_of(const ByteRange& range);
  // Every memory there is: local, global, l2, dtcm.
  std::vector<std::span<uint8_t>> all_bytes();
  std::span<uint8_t> local_bytes() { return {local_.data(), local_.size()}; }
  std::span<uint8_t> global_bytes() { return {global_->data(), global_->size()}; }
  // Makes this memory equal to another.
  void copy_from(TestMemory& other);

 private:
  LocalMemory local_;
  std::unique_ptr<GlobalMemory> global_, l2_, dtcm_;
};

}  // namespace tputwin::testing
