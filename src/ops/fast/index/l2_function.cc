// l2_function: tables and polynomials over rows of 32-bit elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/index/l2_function.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <cstring>
#include <vector>

#include "ops/fast/fast.h"
#include "ops/fast/walk/rows-inl.h"
#include "ops/index/l2_function.h"

#ifndef TPUTWIN_FAST_L2_FUNCTION_ONCE
#define TPUTWIN_FAST_L2_FUNCTION_ONCE
namespace tputwin::fast {

// The operand of a function in L2: a table, or coefficients.
struct L2Entries {
  bool is_table;
  const float* first;
  uint32_t count;
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

struct LookupL2 : FormulaOf<1, false> {
  const float* table;
  explicit LookupL2(const L2Entries& words) : table(words.first) {}
  HWY_INLINE Floats Apply(Floats x) const { return byte_lookup(table, bits(x)); }
};
// A polynomial with every step rounded, and one more factor x at the end.
struct PolynomialL2 : FormulaOf<1, true> {
  const L2Entries& words;
  explicit PolynomialL2(const L2Entries& words) : words(words) {}
  HWY_INLINE Floats Apply(Floats x) const {
    const F32 d;
    uint32_t i = words.count - 1;
    Floats sum = hn::Set(d, words.first[i]);
    while (i > 0) sum = hn::Add(multiply(sum, x), hn::Set(d, words.first[--i]));
    return multiply(sum, x);
  }
  float Element(float x) const {
    uint32_t i = words.count - 1;
    float sum = words.first[i];
    while (i > 0) sum = f32::add(f32::mul(sum, x), words.first[--i]);
    return f32::mul(sum, x);
  }
};

void L2Rows(const void* operation, const RowBlock& block) {
  const auto& words = *static_cast<const L2Entries*>(operation);
  if (words.is_table) return ComputeBlock(LookupL2(words), block);
  ComputeBlock(PolynomialL2(words), block);
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(l2_rows, L2Rows)

// Runs on the bits of 32-bit elements, or on bytes widened to 32 bits.
Declined rows_by_l2(const L2Function& op, const Memory& memory) {
  const TensorView& table = op.table;
  if (is_system(table.space) && table.shape.w > 1 && table.stride.w != sizeof(float))
    return "the entries have gaps";
  std::vector<float> copied(table.shape.w);  // the table may begin at any byte
  std::memcpy(copied.data(), memory.byte(table, 0, 0, 0, 0), copied.size() * sizeof(float));
  const L2Entries words{op.kind == L2Function::Kind::lookup, copied.data(), table.shape.w};
  const RowWork work{.form = RowForm::wide,
                     .kernel = l2_rows,
                     .operation = &words,
                     .weight = words.is_table ? 1 : words.count / 4 + 1,
                     .repeats = true};
  const Source in = Source::tensor(op.in);
  return run_rows({row_result_as(op.out, DType::f32),
                   op.in.dtype == DType::u8 ? row_source(in) : row_source_as(in, DType::f32)},
                  memory, work);
}

}  // namespace

TW_FAST_KERNELS(L2Function, {"rows", rows_by_l2})

}  // namespace tputwin::fast
#endif
