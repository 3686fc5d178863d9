// bitwise: logic on rows of bytes, shifts on rows of 32-bit elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/bitwise.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/bitwise.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = Bitwise::Kind;

// Returns the amount if it is in [-32, 32], otherwise its low 6 bits as a signed number.
HWY_INLINE Ints Amount(Ints b) {
  const I32 d;
  const Ints six = hn::Sub(hn::Xor(hn::And(b, hn::Set(d, 63)), hn::Set(d, 32)), hn::Set(d, 32));
  const auto outside = hn::Or(hn::Gt(b, hn::Set(d, 32)), hn::Lt(b, hn::Set(d, -32)));
  return hn::IfThenElse(outside, six, b);
}

template <Kind kKind>
HWY_INLINE Ints Shifted(Ints a, Ints amount, bool keeps_at_32) {
  const I32 d;
  const hn::RebindToUnsigned<I32> du;
  const Ints zero = hn::Zero(d), most = hn::Set(d, 31);
  const Ints left = hn::Min(hn::Max(amount, zero), most);
  const Ints right = hn::Min(hn::Max(hn::Neg(amount), zero), most);
  const auto by_32_left = hn::Eq(amount, hn::Set(d, 32));
  const auto by_32 = hn::Or(by_32_left, hn::Eq(amount, hn::Set(d, -32)));
  Ints v = hn::Shl(a, left);  // `left` or `right` is 0
  if constexpr (kKind == Kind::arithmetic_shift)
    v = hn::IfThenZeroElse(by_32_left, hn::Shr(v, right));
  else
    v = hn::IfThenZeroElse(by_32,
                           hn::BitCast(d, hn::Shr(hn::BitCast(du, v), hn::BitCast(du, right))));
  return keeps_at_32 ? hn::IfThenElse(by_32, a, v) : v;
}

template <Kind kKind>
void ShiftBlock(const Bitwise& op, const RowBlock& block) {
  const bool keeps_at_32 = op.keeps_at_32;
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    hn::StoreU(Shifted<kKind>(LoadInts(block, 1, i), Amount(LoadInts(block, 2, i)), keeps_at_32),
               I32(), block.result<int32_t>() + i);
  });
}

void ShiftRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Bitwise*>(operation);
  op.kind == Kind::arithmetic_shift ? ShiftBlock<Kind::arithmetic_shift>(op, block)
                                    : ShiftBlock<Kind::logical_shift>(op, block);
}

// Logic is computed on bytes, because it does not depend on the width of elements.
void LogicRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const Bitwise*>(operation);
  const hn::CappedTag<uint8_t, kRowUnit> d;
  const auto run = [&](const auto& logic) HWY_ATTR {
    const auto *a = block.source<uint8_t>(1), *b = block.source<uint8_t>(2);
    const size_t bytes = block.count * element_bytes(op.out.dtype);
    for (size_t i = 0; i < bytes; i += hn::Lanes(d))
      hn::StoreU(logic(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, block.result<uint8_t>() + i);
  };
  using V = hn::Vec<hn::CappedTag<uint8_t, kRowUnit>>;
  if (op.kind == Kind::bit_and) return run([](V a, V b) HWY_ATTR { return hn::And(a, b); });
  if (op.kind == Kind::bit_or) return run([](V a, V b) HWY_ATTR { return hn::Or(a, b); });
  run([](V a, V b) HWY_ATTR { return hn::Xor(a, b); });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(logic_rows, LogicRows)
TW_ROW_KERNEL(shift_rows, ShiftRows)

Declined run(const Bitwise& op, const Memory& memory, RowKernel kernel) {
  const DType dtype = op.out.dtype;
  return run_rows({row_result(op.out), row_source_as(op.a, dtype), row_source_as(op.b, dtype)},
                  memory, {RowForm::elements, kernel, &op});
}

Declined logic(const Bitwise& op, const Memory& memory) {
  if (op.kind > Bitwise::Kind::bit_xor) return "a shift";
  return run(op, memory, logic_rows);
}

Declined shifts(const Bitwise& op, const Memory& memory) {
  if (op.kind <= Bitwise::Kind::bit_xor || op.kind == Bitwise::Kind::rotate) return "no shift";
  if (!is_32bit(op.out.dtype)) return "elements of less than 32 bits";
  return run(op, memory, shift_rows);
}

}  // namespace

TW_FAST_KERNELS(Bitwise, {"logic", logic}, {"shifts", shifts})

}  // namespace tputwin::fast
#endif
