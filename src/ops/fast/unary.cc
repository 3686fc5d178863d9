// unary: bits of elements as they are; relu is a choice.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/unary.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/select.h"
#include "ops/elementwise/unary.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/select_rows.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = Unary::Kind;

// Magnitude or negative of integers, or magnitude of floating-point numbers given as integers of
// their size.
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

HWY_EXPORT(SignRows);
void sign_rows(const void* op, const RowBlock& block) { HWY_DYNAMIC_DISPATCH(SignRows)(op, block); }

Select as_select(const Unary& op) {
  const Source zero = Source::value(0u, op.in.dtype), x = Source::tensor(op.in);
  return {.compare = Select::Compare::greater,
          .out = op.out,
          .a = x,
          .b = zero,
          .if_true = x,
          .if_false = zero,
          .type = op.in.dtype};
}

// Bits of floats are passed as integers of their size.
TensorView as_bits(TensorView view) {
  if (is_half(view.dtype)) {
    view.dtype = DType::u16;
    view.plane_stride = 1;
  }
  return view;
}

void element_rows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Unary*>(operation);
  for (size_t i = 0; i < block.count; ++i)
    block.result<int32_t>()[i] = element(op, block.source<int32_t>(1)[i]);
}

bool has_sign_rows(const Unary& op) {
  if (op.kind == Unary::Kind::abs) return is_float(op.in.dtype) || is_signed(op.in.dtype);
  return op.kind == Unary::Kind::neg && !is_float(op.in.dtype);
}

}  // namespace

bool execute(const Unary& op, const Memory& memory) {
  if (!vectors_enabled()) return false;
  if (op.kind == Unary::Kind::relu && select_rows(as_select(op), memory)) return true;
  if (has_sign_rows(op))
    return run_rows({row_result(op.out), row_source(op.in)}, memory, RowLanes::elements, sign_rows,
                    &op);
  constexpr uint64_t kWeight = 8;
  return run_rows({row_result(as_bits(op.out)), row_source(as_bits(op.in))}, memory,
                  RowLanes::words, element_rows, &op, kWeight);
}

}  // namespace tputwin::fast
#endif  // HWY_ONCE
