// float_arithmetic: formulas of two or three operands of one type over rows of elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/float_arithmetic.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <array>
#include <memory>

#include "ops/elementwise/float_arithmetic.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/fast.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/by_kind.h"
#include "ops/fast/walk/rows-inl.h"
#include "ops/move/copy_add.h"
#include "ops/operation.h"
#include "ops/source_copies.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Kind = FloatArithmetic::Kind;

constexpr bool HasThird(Kind kind) { return kind == Kind::mac || kind == Kind::mul_add; }

template <Kind kKind, DType kType>
HWY_INLINE Floats Formula(Floats a, Floats b, [[maybe_unused]] Floats c) {
  if constexpr (kKind == Kind::add) return hn::Add(a, b);
  if constexpr (kKind == Kind::sub) return hn::Sub(a, b);
  if constexpr (kKind == Kind::mul) return multiply(a, b);
  if constexpr (kKind == Kind::div) return divide(a, b);
  if constexpr (kKind == Kind::diff_abs)
    return hn::IfThenElse(hn::Gt(a, b), hn::Sub(a, b), hn::Sub(b, a));
  if constexpr (HasThird(kKind)) return hn::Add(RoundTo<kType>(multiply(a, b)), c);
  const Floats sum = RoundTo<kType>(kKind == Kind::add_square ? hn::Add(a, b) : hn::Sub(a, b));
  return multiply(sum, sum);
}

// Computes NaN results again, because the order of operands decides which NaN an fp32 result is.
HWY_NOINLINE void StoreNan(const FloatArithmetic& op, const RowBlock& block, size_t i, Floats x) {
  const RowSource a = block.row_source(1), b = block.row_source(2);
  const RowSource c = HasThird(op.kind) ? block.row_source(3) : a;
  HWY_ALIGN float results[kElements32];
  hn::Store(x, F32(), results);
  for (size_t j = 0; j < hn::Lanes(F32()); ++j)
    if (f32::is_nan(results[j]))
      results[j] = float_arithmetic(op, a.element<float>(i + j), b.element<float>(i + j),
                                    c.element<float>(i + j));
  hn::StoreU(hn::Load(F32(), results), F32(), block.result<float>() + i);
}

// Copies the bits of a or b. The values only decide which of the two is copied.
template <Kind kKind, DType kType>
void ChoiceBlock(const RowBlock& block) {
  const RowSource a = block.row_source(1), b = block.row_source(2);
  uint8_t* const result = block.result<uint8_t>();
  for (size_t i = 0, count = block.count; i < count; i += hn::Lanes(F32())) {
    const uint8_t *pa = ElementsAt<kType>(a, i), *pb = ElementsAt<kType>(b, i);
    const Floats x = LoadAs<kType>(pa), y = LoadAs<kType>(pb);
    const auto is_a = kKind == Kind::max   ? hn::Gt(x, y)
                      : kKind == Kind::min ? hn::Le(x, y)
                                           : hn::Not(hn::Le(y, x));
    const Ints chosen = hn::IfThenElse(of_ints(is_a), LoadBits<kType>(pa), LoadBits<kType>(pb));
    StoreBits<kType>(kKind == Kind::min ? chosen : FlushBits<kType>(chosen),
                     result + i * element_bytes(kType));
  }
}

template <Kind kKind, DType kType>
void FloatBlock(const FloatArithmetic& op, const RowBlock& block) {
  const RowSource a = block.row_source(1), b = block.row_source(2);
  const RowSource c = HasThird(kKind) ? block.row_source(3) : a;
  uint8_t* const result = block.result<uint8_t>();
  for (size_t i = 0, count = block.count; i < count; i += hn::Lanes(F32())) {
    const auto load = [&](const RowSource& source)
                          HWY_ATTR { return LoadAs<kType>(ElementsAt<kType>(source, i)); };
    const Floats third = HasThird(kKind) ? load(c) : hn::Zero(F32());
    const Floats x = Formula<kKind, kType>(load(a), load(b), third);
    if (kType == DType::f32 && HWY_UNLIKELY(has_nan(x)))
      StoreNan(op, block, i, x);
    else
      StoreAs<kType>(x, result + i * element_bytes(kType));
  }
}

template <Kind kKind>
void BlockOf(const FloatArithmetic& op, const RowBlock& block) {
  if constexpr (kKind == Kind::div || kKind == Kind::mac)
    return FloatBlock<kKind, DType::f32>(op, block);
  ForFloatType(op.out.dtype, [&]<DType kType>(std::integral_constant<DType, kType>) HWY_ATTR {
    if constexpr (is_choice(kKind))
      ChoiceBlock<kKind, kType>(block);
    else
      FloatBlock<kKind, kType>(op, block);
  });
}

void FloatRows(const void* operation, const RowBlock& block) {
  const auto& op = *static_cast<const FloatArithmetic*>(operation);
  by_kind<Kind::mul_add>(op.kind, [&]<Kind kKind>(std::integral_constant<Kind, kKind>)
                                      HWY_ATTR { BlockOf<kKind>(op, block); });
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

TW_ROW_KERNEL(float_rows, FloatRows)

RowWork work_of(const FloatArithmetic& op) {
  return {.form = RowForm::elements,
          .kernel = float_rows,
          .operation = &op,
          .weight = op.kind == FloatArithmetic::Kind::div ? 8u : 1u,
          .repeats = true};
}

Declined rows(const FloatArithmetic& op, const Memory& memory) {
  using Kind = FloatArithmetic::Kind;
  const DType dtype = op.out.dtype;
  const RowOperand out = row_result(op.out);
  const RowOperand a = row_source_as(op.a, dtype), b = row_source_as(op.b, dtype);
  const RowWork work = work_of(op);
  if (op.kind == Kind::mul_add)
    return run_rows({out, a, b, row_source_as(op.c, dtype)}, memory, work);
  if (op.kind == Kind::mac) return run_rows({out, a, b, row_source(op.out)}, memory, work);
  return run_rows({out, a, b}, memory, work);
}

// Adds the source to the old result.
Declined added_rows(const CopyAdd& op, const Memory& memory) {
  return rows(FloatArithmetic{.kind = FloatArithmetic::Kind::add,
                              .out = op.out,
                              .a = Source::tensor(op.out),
                              .b = Source::tensor(op.in)},
              memory);
}

// Arithmetic on two tensors, each in local or global memory. Keeps its operation with moved views.
class PreparedFloatMap final : public PreparedKernel {
 public:
  explicit PreparedFloatMap(const FloatArithmetic& op) : op_(op) {}

  bool takes_moves(const TensorView& view) const override {
    return view.shape == op_.out.shape && element_bytes(view.dtype) == element_bytes(op_.out.dtype);
  }
  bool has_second_input() const override { return true; }
  void move(Moved operand, const TensorView& where) override {
    TensorView& view = operand == Moved::input    ? op_.a.view
                       : operand == Moved::addend ? op_.b.view
                                                  : op_.out;
    const DType type = view.dtype;
    view = where;
    view.dtype = type;
  }
  void run(const Memory& memory) override {
    const std::array operands{row_result(op_.out), row_source_as(op_.a, op_.out.dtype),
                              row_source_as(op_.b, op_.out.dtype)};
    run_free_rows(operands, memory, work_of(op_));
    if (is_traced()) [[unlikely]]
      trace_kernel(name(op_), "rows of a map", kRan);
  }

 private:
  FloatArithmetic op_;
};

bool has_map(const FloatArithmetic& op, const Memory& memory) {
  using Kind = FloatArithmetic::Kind;
  if (op.kind == Kind::mul_add || op.kind == Kind::mac) return false;
  for (const Source* source : {&op.a, &op.b})
    if (source->is_constant || source->along_n || source->view.shape != op.out.shape) return false;
  return elements_overlap(op.out, {&op.a.view, &op.b.view}, memory.local) == nullptr;
}

}  // namespace

std::unique_ptr<PreparedKernel> prepare_float_map(const Operation& operation,
                                                  const Memory& memory) {
  const auto* op = std::get_if<FloatArithmetic>(&operation);
  if (op == nullptr || !may_prepare(operation) || needs_copies(operation, memory.local) ||
      !has_map(*op, memory))
    return nullptr;
  return std::make_unique<PreparedFloatMap>(*op);
}

TW_FAST_KERNELS(FloatArithmetic, {"rows", rows})
TW_FAST_KERNELS(CopyAdd, {"rows", added_rows})

}  // namespace tputwin::fast
#endif
