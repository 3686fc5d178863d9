// Rules of the BM1684 that the OKKernel guide states for many functions; building blocks of
// check().
#pragma once

#include "base/errors/okkernel.h"
#include "ops/rules/rule.h"

namespace tputwin {

// Largest number of channels of a function: the documented number, or as many as lanes hold.
enum class Channels : bool { documented, all };

constexpr uint64_t most_channels(Channels channels, const Chip& chip) {
  // Bytes of the smallest tensor of one channel.
  constexpr uint64_t kCell = 4;
  return channels == Channels::all ? chip.local_bytes() / kCell : chip.limits.channels;
}

// Checks a local address of a BDC function. The alignment is 4, or 8 for pairs of floats, or 128 if
// the aligned layout is required.
inline Status check_bm1684_address(std::string_view name, const TensorView& view,
                                   uint32_t alignment) {
  const ErrorId rule = alignment == 128 ? errors::okk_address_128
                       : alignment == 8 ? errors::okk_address_8
                                        : errors::okk_address_4;
  return require(view.address % alignment == 0, rule, name, view);
}

// Checks memory, extents and address of one operand of a BDC function. Functions that execute more
// channels than the guide allows pass Channels::all and call advise_bm1684_channels() last.
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

// Checks that elements have `bytes` bytes, and cells `pack` elements.
inline Status check_bm1684_element(std::string_view name, const TensorView& view, uint32_t bytes,
                                   uint32_t pack = 1) {
  return require(element_bytes(view.dtype) == bytes && view.pack == pack, errors::okk_element, name,
                 view);
}

inline Status check_bm1684_shape(std::string_view name, const TensorView& view,
                                 const Shape& shape) {
  return require(view.shape == shape, errors::okk_extents, name, view.shape);
}

// Checks that all operands are 32-bit tensors of one shape.
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

// The reference model stops if these two start in different NPUs.
inline Status check_bm1684_same_npu(std::string_view name, const TensorView& view,
                                    const TensorView& result, const Chip& chip) {
  return require(same_start_lane(view, result, chip), errors::okk_start_npu_same, name, view);
}

// Warnings, which must be checked after the errors.
inline Status advise_bm1684_channels(std::string_view name, const Shape& shape, const Chip& chip) {
  return require(shape.c <= chip.limits.channels, errors::okk_channels, name, shape);
}

inline Status advise_bm1684_same_npu(std::string_view name, const TensorView& view,
                                     const TensorView& result, const Chip& chip) {
  return require(same_start_lane(view, result, chip), errors::okk_start_npu, name, view);
}

// Checks that every operand starts in the NPU of the first one.
inline Status advise_bm1684_same_npu(const OperandList& operands, const Chip& chip) {
  for (const Operand& operand : operands)
    TW_RETURN_IF_ERROR(
        advise_bm1684_same_npu(operand.name, *operand.view, *operands[0].view, chip));
  return {};
}

inline Status advise_bm1684_npu_0(std::string_view name, const TensorView& view, const Chip& chip) {
  return require(start_lane(view, chip) == 0, errors::okk_npu_0, name, view);
}

// Checks for 8-bit elements in 4N mode or 16-bit elements in 2N mode, and for the shape. A source
// may instead use the first element of each cell for all images (pack 1, stride.n 0).
inline Status check_bm1684_packed(std::string_view name, const TensorView& view, const Shape& shape,
                                  const Chip& chip, bool is_source = false) {
  TW_RETURN_IF_ERROR(check_bm1684_operand(name, view, chip));
  const bool one_image = is_source && view.pack == 1 && view.stride.n == 0;
  const bool packed = !is_32bit(view.dtype) && is_run(view) && (run_bytes(view) == 4 || one_image);
  TW_RETURN_IF_ERROR(require(packed, errors::okk_element, name, view));
  return check_bm1684_shape(name, view, shape);
}

// Checks that the elements have `bits` bits.
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
