// int8_to_f32: one pass copies 32-bit cells, and a second one converts the copy.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/int8_to_f32.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "ops/elementwise/int8_to_f32.h"
#include "ops/fast/fast.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/rows-inl.h"

#ifndef TPUTWIN_FAST_INT8_TO_F32_ONCE
#define TPUTWIN_FAST_INT8_TO_F32_ONCE
namespace tputwin::fast {

// The value of byte `index` of a 32-bit cell, minus `zero`.
struct ByteOfWord {
  int index;
  int32_t zero;
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

void FlipRows(const void* mask, const RowBlock& block) {
  const Ints flip = ints(*static_cast<const int32_t*>(mask));
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    hn::StoreU(hn::Xor(LoadInts(block, 1, i), flip), I32(), block.result<int32_t>() + i);
  });
}

void ByteRows(const void* byte_of_word, const RowBlock& block) {
  const auto& of = *static_cast<const ByteOfWord*>(byte_of_word);
  ForEachVector(block, [&](size_t i) HWY_ATTR {
    const Ints low = hn::ShiftRightSame(LoadInts(block, 1, i), 8 * of.index);
    const Ints value = hn::Sub(hn::And(low, ints(0xff)), ints(of.zero));
    hn::StoreU(hn::ConvertTo(F32(), value), F32(), block.result<float>() + i);
  });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(flip_rows, FlipRows)
TW_ROW_KERNEL(byte_rows, ByteRows)

// Returns elements n = index, index + 4, ... of the result, or the cells that they come from.
TensorView every_fourth(TensorView view, uint32_t index, uint32_t elements, uint32_t step) {
  view.shape.n = (elements - index + 3) / 4;
  view.address += uint64_t{step} * index * view.stride.n;
  view.stride.n *= step == 0 ? 1 : 4;
  return view;
}

// The copy must have exactly the cells that the conversion reads.
Declined two_passes(const Int8ToF32& op, const Memory& memory) {
  const TensorView copy = op.copy();
  const Shape& s = op.out.shape;
  if (!has_elements(op.out) || copy.space != Space::local || copy.shape != s ||
      (copy.pack != 1 && (op.work.shape != Shape{cells(copy), s.c, s.h, s.w} ||
                          op.work.stride.h != copy.stride.h || op.work.stride.w != copy.stride.w)))
    return "the copy does not consist of what is converted";
  if (const Declined why = overlap(op.out, {&op.work}, memory.local)) return why;
  const bool flips = is_signed(op.in.dtype);
  const int32_t mask = flips ? static_cast<int32_t>(0x8080'8080) : 0, zero = flips ? 128 : 0;
  if (const Declined why = run_rows({row_result(op.work), row_source(op.words)}, memory,
                                    {RowForm::elements, flip_rows, &mask}))
    return why;
  // The result is disjoint from the copy, which is part of the work tensor.
  const auto convert = [&](const RowOperand& out, const RowOperand& from, RowForm form,
                           const ByteOfWord& byte) {
    run_free_rows(std::array{out, from}, memory, {form, byte_rows, &byte});
  };
  if (copy.pack == 1) convert(row_result(op.out), row_source(copy), RowForm::wide, {0, zero});
  for (uint32_t index = 0; copy.pack == 4 && index < std::min(s.n, 4u); ++index)
    convert(row_result(every_fourth(op.out, index, s.n, 1)),
            row_source(every_fourth(op.work, index, s.n, 0)), RowForm::elements,
            {static_cast<int>(index), zero});
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Int8ToF32, {"two passes", two_passes})

}  // namespace tputwin::fast
#endif
