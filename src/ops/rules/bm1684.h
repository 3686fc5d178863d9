// Rules of the BM1684 that the OKKernel guide states for many functions; building blocks of
// check().
#pragma once

#include "base/errors/okkernel.h"
#include "ops/rules/rule.h"

namespace tputwin {

// How many channels a function carries out: what the guide allows, or as many as lanes hold.
enum class Channels : bool { documented, all };

constexpr uint64_t most_channels(Channels channels, const Chip& chip) {
  constexpr uint64_t kCell = 4;  // bytes of the smallest tensor of one channel
  return channels == Channels::all ? chip.local_bytes() / kCell : chip.limits.channels;
}

// A local address of a BDC function: alignment is 4, 8 for pairs of floats, or 128 where the
// aligned layout is demanded.
inline Status check_bm1684_address(std::string_view name, const TensorView& view,
                                   uint32_t alignment) {
  const ErrorId rule = alignment == 128 ? errors::okk_address_128
                       : alignment == 8 ? errors::okk_address_8
                                        : errors::okk_address_4;
  return require(view.address % alignment == 0, rule, name, view);
}

// Memory, extents and address of one operand of a BDC function. Functions that carry out more
// channels than the guide allows take Channels::all, and end with advise_bm1684_channels().
inline Status check_bm1684_operand(std::string_view name, const TensorView& view, const Chip& chip,
                                   uint32_t alignment = 4,
                                   Channels channels = Channels::documented) {
  const Shape& s = view.shape;
  const uint32_t most = chip.limits.extent;
  auto within = [](uint32_t extent, uint64_t limit) { return extent - 1 < limit; };
  TW_RETURN_IF_ERROR(require(view.space == Space::local, errors::okk_space, name, view));
  TW_RETURN_IF_ERROR(require(within(s.n, most) && within(s.c, most_channels(channels, chip)) &&
                                 within(s.h, most) && within(s.w, most),
                             errors::okk_shape, name, s));
  TW_RETURN_IF_ERROR(require(chip.types.has(view.dtype), errors::okk_element, name, view));
  return check_bm1684_address(name, view, alignment);
}

// Elements of `bytes` bytes, `pack` of them in a cell.
inline Status check_bm1684_element(std::string_view name, const TensorView& view, uint32_t bytes,
                                   uint32_t pack = 1) {
  return require(element_bytes(view.dtype) == bytes && view.pack == pack, errors::okk_element, name,
                 view);
}

inline Status check_bm1684_shape(std::string_view name, const TensorView& view,
                                 const Shape& shape) {
  return require(view.shape == shape, errors::okk_extents, name, view.shape);
}

// All operands are 32-bit tensors of one shape.
inline Status check_bm1684_32bit(const OperandList& operands, const Shape& shape, const Chip& chip,
                                 uint32_t alignment = 4, Channels channels = Channels::documented) {
  for (const Operand& operand : operands) {
    TW_RETURN_IF_ERROR(
        check_bm1684_operand(operand.name, *operand.view, chip, alignment, channels));
    TW_RETURN_IF_ERROR(check_bm1684_element(operand.name, *operand.view, 4));
    TW_RETURN_IF_ERROR(check_bm1684_shape(operand.name, *operand.view, shape));
  }
  return {};
}

// Where another start NPU makes the model stop.
inline Status check_bm1684_same_npu(std::string_view name, const TensorView& view,
                                    const TensorView& result, const Chip& chip) {
  return require(same_start_lane(view, result, chip), errors::okk_start_npu_same, name, view);
}

// Warnings, to be looked at after the errors.
inline Status advise_bm1684_channels(std::string_view name, const Shape& shape, const Chip& chip) {
  return require(shape.c <= chip.limits.channels, errors::okk_channels, name, shape);
}

inline Status advise_bm1684_same_npu(std::string_view name, const TensorView& view,
                                     const TensorView& result, const Chip& chip) {
  return require(same_start_lane(view, result, chip), errors::okk_start_npu, name, view);
}

// Every operand starts in the NPU of the first.
inline Status advise_bm1684_same_npu(const OperandList& operands, const Chip& chip) {
  for (const Operand& operand : operands)
    TW_RETURN_IF_ERROR(
        advise_bm1684_same_npu(operand.name, *operand.view, *operands[0].view, chip));
  return {};
}

inline Status advise_bm1684_npu_0(std::string_view name, const TensorView& view, const Chip& chip) {
  return require(start_lane(view, chip) == 0, errors::okk_npu_0, name, view);
}

// 8-bit elements in 4N mode, 16-bit elements in 2N mode, of one shape; or, of a source, the first
// element of each cell for all images.
inline Status check_bm1684_packed(std::string_view name, const TensorView& view, const Shape& shape,
                                  const Chip& chip, bool is_source = false) {
  TW_RETURN_IF_ERROR(check_bm1684_operand(name, view, chip));
  const bool one_image = is_source && view.pack == 1 && view.stride.n == 0;
  const bool packed = !is_32bit(view.dtype) && is_run(view) && (run_bytes(view) == 4 || one_image);
  TW_RETURN_IF_ERROR(require(packed, errors::okk_element, name, view));
  return check_bm1684_shape(name, view, shape);
}

// The operand has elements of that many bits.
inline Status check_bm1684_packed_bits(std::string_view name, const TensorView& view,
                                       uint32_t bits) {
  return require(8 * element_bytes(view.dtype) == bits, errors::okk_element, name, view);
}

inline Status check_bm1684_packed(const OperandList& operands, const Chip& chip) {
  for (const Operand& operand : operands)
    TW_RETURN_IF_ERROR(check_bm1684_packed(operand.name, *operand.view, operands[0].view->shape,
                                           chip,
                                           /*is_source=*/operand.access == Access::read));
  return {};
}

inline Status check_bm1684_rshift(uint32_t rshift) {
  return require(rshift < 32, errors::okk_rshift, "rshift", static_cast<int32_t>(rshift));
}

inline Status advise_bm1684_npu_0(const OperandList& operands, const Chip& chip) {
  for (const Operand& operand : operands)
    TW_RETURN_IF_ERROR(advise_bm1684_npu_0(operand.name, *operand.view, chip));
  return {};
}

}  // namespace tputwin
