// unary: bits of elements without conversion. relu is a choice.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/unary.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/select.h"
#include "ops/elementwise/unary.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = Unary::Kind;

// Computes magnitudes or negatives of integers, or magnitudes of floating-point numbers given as
// integers of their size.
template <class T>
void SignBlock(const Unary& op, const RowBlock& block) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const bool floats = is_float(op.in.dtype), abs = op.kind == Kind::abs;
  const auto sign = hn::Set(d, static_cast<T>(T{1} << (8 * sizeof(T) - 1)));
  for (size_t i = 0; i < block.count; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, block.source<T>(1) + i);
    const auto y = floats ? hn::AndNot(sign, x) : abs ? hn::Abs(x) : hn::Sub(hn::Zero(d), x);
    hn::StoreU(y, d, block.result<T>() + i);
  }
}

void SignRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Unary*>(operation);
  switch (element_bytes(op.in.dtype)) {
    case 1:
      return SignBlock<int8_t>(op, block);
    case 2:
      return SignBlock<int16_t>(op, block);
    default:
      return SignBlock<int32_t>(op, block);
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(sign_rows, SignRows)

// Runs relu as a choice.
Declined choice(const Unary& op, const Memory& memory) {
  if (op.kind != Unary::Kind::relu) return "no relu";
  const Source zero = Source::value(0u, op.in.dtype), x = Source::tensor(op.in);
  const Select select{.compare = Select::Compare::greater,
                      .out = op.out,
                      .a = x,
                      .b = zero,
                      .if_true = x,
                      .if_false = zero,
                      .type = op.in.dtype};
  return fast::execute(select, memory) ? kRan : "select has no kernel for it";
}

Declined signs(const Unary& op, const Memory& memory) {
  const bool is_abs = op.kind == Unary::Kind::abs, floats = is_float(op.in.dtype);
  if (is_abs ? !floats && !is_signed(op.in.dtype) : op.kind != Unary::Kind::neg || floats)
    return "no change of a sign bit, or of a signed number";
  return run_rows({row_result(op.out), row_source(op.in)}, memory,
                  {RowForm::elements, sign_rows, &op});
}

void element_rows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Unary*>(operation);
  for (size_t i = 0; i < block.count; ++i) block.store(i, element(op, block.load<int32_t>(1, i)));
}

// Bits of floats are passed as integers of their size.
Declined elements(const Unary& op, const Memory& memory) {
  const auto bits = [](DType dtype) { return is_half(dtype) ? DType::u16 : dtype; };
  constexpr uint64_t kWeight = 8;
  return run_rows({row_result_as(op.out, bits(op.out.dtype)),
                   row_source_as(Source::tensor(op.in), bits(op.in.dtype))},
                  memory, {RowForm::wide, element_rows, &op, kWeight});
}

}  // namespace

TW_FAST_KERNELS(Unary, {"choice", choice}, {"signs", signs}, {"elements", elements})

}  // namespace tputwin::fast
#endif  // HWY_ONCE
