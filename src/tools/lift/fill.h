// Roles of an operation, from its operands and attributes.
#pragma once

#include "ops/operation.h"
#include "tools/lift/roles.h"

namespace tputwin::lift {

// natural: strides of the default layout are NULL. spelled: all strides are given.
enum class StrideStyle : uint8_t { natural, spelled };

// Shared state of the functions below.
class Filler {
 public:
  Filler(const Chip& chip, StrideStyle style, Roles& roles)
      : roles(roles), chip_(chip), style_(style) {}

  Roles& roles;

  Address address(const TensorView& view) const;
  EitherAddress either(const TensorView& view) const { return {address(view)}; }
  static Extents extents(const Shape& s) { return {{s.n, s.c, s.h, s.w}}; }
  // Returns strides in elements, or cells of packed tensors. In the natural style none for the
  // default layout.
  Steps steps(const TensorView& view) const;
  // Returns none for the compact layout.
  Steps compact_steps(const TensorView& view) const;
  static Constant constant(const Source& source) { return {source.constant, source.view.dtype}; }
  static Number number(uint64_t value) { return {static_cast<int64_t>(value)}; }
  // Returns a signed constant: shifts and offsets.
  static Number signed_number(const Source& source) {
    return {static_cast<int32_t>(source.constant)};
  }
  Variable variable(const Source& source) const;
  const Chip& chip() const { return chip_; }

  // Sets the destination, its shape and its type.
  void out(const TensorView& view);
  // Sets the two operands of an element-wise operation: src0 and src1, or src and C, or vectors.
  void sources(const TensorView& out, const Source& a, const Source& b);

 private:
  const Chip& chip_;
  StrideStyle style_;
};

// Returns false for an operation that no call of any API makes.
bool fill_any(const Operation& op, Filler& filler);

// fill_bm1684.cc
void fill(const UnaryF32&, Filler&);
void fill(const ChannelAffine&, Filler&);
void fill(const FixedPoint&, Filler&);
void fill(const Conv2dBm1684&, Filler&);
void fill(const Depthwise2dBm1684&, Filler&);
void fill(const Pool2dBm1684&, Filler&);
void fill(const MatmulBm1684&, Filler&);
// fill_elements.cc
void fill(const FloatArithmetic&, Filler&);
void fill(const IntArithmetic&, Filler&);
void fill(const Bitwise&, Filler&);
void fill(const Select&, Filler&);
void fill(const Unary&, Filler&);
void fill(const Convert&, Filler&);
void fill(const FloatFunction&, Filler&);
void fill(const Requantize&, Filler&);
// fill_windows.cc
void fill(const Conv2dBm1684xFloat&, Filler&);
void fill(const Conv2dBm1684xInt8&, Filler&);
void fill(const Depthwise2dBm1684xFloat&, Filler&);
void fill(const Depthwise2dBm1684xInt8&, Filler&);
void fill(const Pool2dBm1684xFloat&, Filler&);
void fill(const Pool2dBm1684xInt8&, Filler&);
// fill_matrices.cc
void fill(const MatmulBm1684xFp32&, Filler&);
void fill(const MatmulBm1684xHalf&, Filler&);
void fill(const MatmulBm1684xInt&, Filler&);
void fill(const CopyMatrix&, Filler&);
// fill_moves.cc
void fill(const Copy&, Filler&);
void fill(const Rearrange&, Filler&);
void fill(const LoadTable&, Filler&);
void fill(const TableLookup&, Filler&);
void fill(const Gather&, Filler&);
void fill(const Scatter&, Filler&);
void fill(const MaskSelect&, Filler&);

}  // namespace tputwin::lift
