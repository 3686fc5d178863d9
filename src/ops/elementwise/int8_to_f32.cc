// int8_to_f32: contract, cost and reference kernel.
#include "ops/elementwise/int8_to_f32.h"

#include "base/bits.h"
#include "base/errors/okkernel.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"

namespace tputwin {
namespace {

// Returns the shape of the 32-bit words. 4N: the cells. 1N: the bytes of a channel, rounded up.
Shape words_shape(const TensorView& in) {
  const Shape& s = in.shape;
  if (in.pack == 4) return {cells(in), s.c, s.h, s.w};
  return {s.n, s.c, 1, static_cast<uint32_t>(ceil_div(uint64_t{s.h} * s.w, uint64_t{4}))};
}

Status check_words(std::string_view name, const TensorView& view) {
  TW_RETURN_IF_ERROR(require(view.space == Space::local, errors::okk_space, name, view));
  TW_RETURN_IF_ERROR(check_bm1684_address(name, view, 4));
  return check_bm1684_element(name, view, 4);
}

}  // namespace

TensorView Int8ToF32::copy() const {
  TensorView view = in;
  view.dtype = DType::u8;
  view.address = work.address;
  view.stride.n = work.stride.n;
  view.stride.c = work.stride.c;
  return view;
}

std::string_view name(const Int8ToF32&) { return "int8_to_f32"; }

void attributes(const Int8ToF32&, AttributeSink&) {}

OperandList operands(const Int8ToF32& op) {
  return {{"dst_addr", &op.out, Access::write},
          {"src_addr", &op.in, Access::read},
          {"src_addr", &op.words, Access::read},
          {"work_addr", &op.work, Access::write}};
}

Status check(const Int8ToF32& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bm1684_operand("dst_addr", op.out, chip));
  TW_RETURN_IF_ERROR(check_bm1684_element("dst_addr", op.out, 4));
  TW_RETURN_IF_ERROR(check_bm1684_operand("src_addr", op.in, chip));
  TW_RETURN_IF_ERROR(check_bm1684_element("src_addr", op.in, 1, op.in.pack == 4 ? 4 : 1));
  TW_RETURN_IF_ERROR(check_bm1684_shape("src_addr", op.in, op.out.shape));
  TW_RETURN_IF_ERROR(check_words("src_addr", op.words));
  TW_RETURN_IF_ERROR(check_words("work_addr", op.work));
  TW_RETURN_IF_ERROR(check_bm1684_shape("src_addr", op.words, words_shape(op.in)));
  TW_RETURN_IF_ERROR(check_bm1684_shape("work_addr", op.work, op.words.shape));
  TW_RETURN_IF_ERROR(
      require(op.work.address != op.out.address, errors::okk_int8_work_dst, "work_addr", op.work));
  return advise_bm1684_same_npu(operands(op), chip);
}

// Two passes: the copy and its conversion.
Cost cost(const Int8ToF32& op, const Chip& chip) {
  return compute_cost(lane_passes(op.work.shape, chip, 4) + lane_passes(op.out.shape, chip, 4),
                      op.out.shape.count(), operands(op), chip);
}

void execute(const Int8ToF32& op, const Memory& memory) {
  const bool flips = is_signed(op.in.dtype);
  const int32_t signs = flips ? static_cast<int32_t>(0x8080'8080) : 0, zero = flips ? 128 : 0;
  for_each_index(op.words.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    memory.write(op.work, n, c, h, w, memory.read(op.words, n, c, h, w) ^ signs);
  });
  const TensorView copy = op.copy();
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t value = memory.read(copy, n, c, h, w) - zero;
    memory.write_f32(op.out, n, c, h, w, static_cast<float>(value));
  });
}

}  // namespace tputwin
