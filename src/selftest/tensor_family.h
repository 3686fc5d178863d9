// Base of the BM1684 and BM1684X families: tensors of one shape from one start lane, constants and
// types.
#pragma once

#include <iterator>
#include <utility>

#include "numerics/rounding.h"
#include "selftest/family.h"
#include "selftest/kinds.h"
#include "selftest/random_tensors.h"

namespace tputwin::testing {

inline constexpr DType kIntegerTypes[] = {DType::u8,  DType::i8,  DType::u16,
                                          DType::i16, DType::u32, DType::i32};
inline constexpr DType kFloatTypes[] = {DType::f32, DType::f16, DType::bf16};
inline constexpr DType kAllTypes[] = {DType::u8,  DType::i8,  DType::u16, DType::i16, DType::u32,
                                      DType::i32, DType::f32, DType::f16, DType::bf16};

// The constructor of a family, or its functions, must draw shape_ and lane_.
class TensorFamily {
 protected:
  TensorFamily(Rng& rng, const Chip& chip) : rng_(rng), chip_(chip), tensors_(rng, chip) {}

  template <size_t N>
  DType any_of(const DType (&types)[N]) {
    return types[rng_.below(N)];
  }
  DType any_type() { return any_of(kAllTypes); }
  DType float_type() { return any_of(kFloatTypes); }
  DType integer_type() { return any_of(kIntegerTypes); }

  TensorView result(DType type) { return tensors_.any(shape_, lane_, type, /*is_source=*/false); }
  Source source(DType type) { return tensors_.source(shape_, lane_, type); }
  TensorView aligned(const Shape& shape, DType type) {
    return tensors_.dense(shape, lane_, type, /*aligned=*/true);
  }
  TensorView aligned(DType type) { return aligned(shape_, type); }
  TensorView compact(const Shape& shape, DType type) {
    return tensors_.dense(shape, lane_, type, /*aligned=*/false);
  }
  // Returns a tensor with one element per channel, repeated.
  TensorView per_channel(DType type, bool aligned) {
    TensorView view = tensors_.dense({1, shape_.c, 1, 1}, lane_, type, aligned);
    view.shape = shape_;
    view.stride.n = view.stride.h = view.stride.w = 0;
    return view;
  }

  // Returns a tensor in lanes or in system memory.
  TensorView side(const Shape& shape, DType type, bool is_source) {
    return rng_.coin() ? tensors_.any(shape, tensors_.start_lane(), type, is_source)
                       : tensors_.system(shape, type, is_source);
  }
  // Returns a tensor in system memory in which elements of another axis than w are adjacent.
  TensorView crossed(const Shape& shape, DType type, bool is_source) {
    Shape other = shape;
    const bool by_channel = rng_.coin();
    std::swap(by_channel ? other.c : other.h, other.w);
    TensorView view = tensors_.system(other, type, is_source);
    view.shape = shape;
    std::swap(by_channel ? view.stride.c : view.stride.h, view.stride.w);
    return view;
  }
  TensorView in_bank(TensorView view, uint32_t bank) {
    view.address = view.address / chip_.lane_bytes * chip_.lane_bytes + bank * chip_.bank_bytes();
    return view;
  }
  void sometimes_overlap(TensorView& out, const TensorView& in) {
    if (rng_.chance(1, 8) && out.space == in.space)
      out.address = in.address + rng_.below(3) * 4 * element_bytes(out.dtype);
  }

  // Extends integers like the calls do.
  uint32_t extended(uint32_t bits, DType type) const {
    return type == DType::f32 ? bits
                              : static_cast<uint32_t>(wrap(static_cast<int32_t>(bits), type));
  }
  Source constant(DType type) {
    return Source::value(extended(random_bits(rng_, type), type), type);
  }
  // Returns a constant of the BM1684, where constants have no type.
  Source untyped_f32() { return Source::value(random_f32(rng_, random_kind(rng_))); }

  Rng& rng_;
  const Chip& chip_;
  RandomTensors tensors_;
  Shape shape_;
  uint32_t lane_ = 0;
};

}  // namespace tputwin::testing
