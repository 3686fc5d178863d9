// channel_affine: parameters are tensors with a stride along channels only.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/channel_affine.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/channel_affine.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// The term that is added to product and bias last.
enum class Addend { none, zero, old };

template <bool kScale, bool kBias, Addend kAddend>
struct Affine : FormulaOf<4, true> {
  const ChannelAffine& op;
  explicit Affine(const ChannelAffine& affine) : op(affine) {}

  HWY_INLINE Floats Apply(Floats in, [[maybe_unused]] Floats old, [[maybe_unused]] Floats scale,
                          [[maybe_unused]] Floats bias) const {
    if constexpr (!kScale) return hn::Add(in, bias);
    const Floats product = multiply(in, scale);
    const Floats sum = kBias ? hn::Add(product, bias) : product;
    if constexpr (kAddend == Addend::none) return sum;
    return hn::Add(sum, kAddend == Addend::old ? old : hn::Zero(F32()));
  }
  float Element(float in, float old, float scale, float bias) const {
    return affine(op, in, scale, bias, old);
  }
};

void AffineRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const ChannelAffine*>(operation);
  const auto compute = [&](const auto& formula) HWY_ATTR { ComputeBlock(formula, block); };
  if (!op.scale) return compute(Affine<false, true, Addend::none>(op));
  if (op.bias)
    return op.accumulate ? compute(Affine<true, true, Addend::old>(op))
                         : compute(Affine<true, true, Addend::none>(op));
  if (op.accumulate) return compute(Affine<true, false, Addend::old>(op));
  return op.adds_zero ? compute(Affine<true, false, Addend::zero>(op))
                      : compute(Affine<true, false, Addend::none>(op));
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(affine_rows, AffineRows)

// Returns the parameter of shape (1,C,1,1) as a tensor of the operation's shape.
RowOperand parameter(const std::optional<Source>& source, const Shape& shape) {
  if (!source) return row_source(Source::value(0u, DType::f32));
  if (source->is_constant) return row_source(Source::value(source->constant, DType::f32));
  TensorView spread = source->view;
  if (spread.shape == Shape{1, shape.c, 1, 1}) spread.shape = shape;
  spread.stride = {0, source->view.stride.c, 0, 0};
  return row_source(spread);
}

Declined rows(const ChannelAffine& op, const Memory& memory) {
  const Shape& shape = op.out.shape;
  const RowOperand old =
      op.accumulate ? row_source(op.out) : row_source(Source::value(0u, DType::f32));
  return run_rows(
      {row_result(op.out), row_source(op.in), old, parameter(op.scale, shape),
       parameter(op.bias, shape)},
      memory,
      {.form = RowForm::elements, .kernel = affine_rows, .operation = &op, .repeats = true});
}

}  // namespace

TW_FAST_KERNELS(ChannelAffine, {"rows", rows})

}  // namespace tputwin::fast
#endif
