// The order of reads of every operation, and the rules for operands that overlap.
#include "ops/read_order.h"

#include "base/errors/okkernel.h"
#include "base/errors/ops.h"
#include "base/errors/tpukernel.h"
#include "ops/rules/bm1684x.h"
#include "ops/rules/rule.h"

namespace tputwin {
namespace {

// ---- operations whose order depends on their members ----

ReadOrder own_order(const Copy& op) {
  if (op.reads_first) return ReadOrder::first;
  return op.engine == Engine::compute ? ReadOrder::first_elements : ReadOrder::in_order;
}

ReadOrder own_order(const Rearrange& op) {
  if (op.engine == Engine::compute) return ReadOrder::first;
  switch (op.kind) {
    case Rearrange::Kind::swap_cw:
      return ReadOrder::refused;
    case Rearrange::Kind::repeat_channel:
      return repeats_itself(op.out, op.in) ? ReadOrder::in_order : ReadOrder::unknown;
    default:
      return ReadOrder::in_order;
  }
}

ReadOrder first_of_compute(Engine engine) {
  return engine == Engine::compute ? ReadOrder::first : ReadOrder::unknown;
}
ReadOrder own_order(const Gather& op) { return first_of_compute(op.engine); }
ReadOrder own_order(const Scatter& op) { return first_of_compute(op.engine); }
ReadOrder own_order(const MaskSelect& op) { return first_of_compute(op.engine); }

// Quotients and series are one command. Other functions are several commands, each of which reads
// its sources first.
ReadOrder own_order(const FloatFunction& op) {
  const bool is_one_command =
      op.kind == FloatFunction::Kind::div || op.kind == FloatFunction::Kind::taylor;
  return is_one_command ? ReadOrder::first_elements : ReadOrder::unknown;
}
// A function with a work tensor is several commands.
ReadOrder own_order(const UnaryF32& op) {
  return op.work ? ReadOrder::unknown : ReadOrder::first_elements;
}
ReadOrder own_order(const SplitByte& op) {
  return op.work ? ReadOrder::unknown : ReadOrder::first_elements;
}

ReadOrder own_order(const Convert& op) {
  return op.engine == Engine::compute ? ReadOrder::first_elements : ReadOrder::in_order;
}

ReadOrder own_order(const MaskedLanes& op) { return read_order(*op.operation); }

// ---- the rows ----

struct ReadOrders {
  using enum ReadOrder;
  static constexpr auto own = static_cast<ReadOrder>(0xff);
#define TW_ORDER(Type, order) \
  static ReadOrder of(const Type& op) { return order == own ? own_of(op) : order; }
#include "ops/read_order.def"
#undef TW_ORDER
  // The host orders its own accesses.
  static ReadOrder of(const CpuCall&) { return in_order; }

 private:
  template <class Op>
  static ReadOrder own_of(const Op& op) {
    if constexpr (requires { own_order(op); })
      return own_order(op);
    else
      return own;  // not reached
  }
};

constexpr bool goes_by_element(ReadOrder order) {
  return order == ReadOrder::first_elements || order == ReadOrder::elements_assumed;
}

// ---- sources whose elements may be read in any order ----

template <class Op>
bool is_table_of(const Op&, const TensorView*) {
  return false;
}
bool is_table_of(const Lut& op, const TensorView* view) { return view == &op.table; }
bool is_table_of(const TableLookup& op, const TensorView* view) { return view == &op.table; }
bool is_table_of(const L2Function& op, const TensorView* view) { return view == &op.table; }
bool is_table_of(const FloatFunction& op, const TensorView* view) {
  return view != &op.a.view && view != &op.b.view;
}
// A vector along n is read at other indices than those of the result.
template <class Op>
requires requires(Op op) {
  op.a.along_n;
  op.b.along_n;
}
bool is_table_of(const Op& op, const TensorView* view) {
  return (view == &op.a.view && op.a.along_n) || (view == &op.b.view && op.b.along_n);
}

template <class Op>
bool has_own_index(const Op& op, const TensorView* view) {
  return goes_by_element(ReadOrders::of(op)) && !is_table_of(op, view);
}
// An accumulating product reads old values at the positions that it writes.
bool has_own_index(const MatmulBm1684xInt& op, const TensorView* view) {
  return op.old && view == &op.old->matrix.tensor;
}

// Returns true if both begin with the same elements; one of the two may have more.
bool is_in_place(const TensorView& a, const TensorView& b) {
  return a.space == b.space && a.address == b.address && a.stride == b.stride && a.pack == b.pack &&
         run_bytes(a) == run_bytes(b);
}

ErrorId unknown_order(const Chip& chip) {
  switch (chip.family) {
    case ChipFamily::bm1880:
      return errors::ops_overlap;
    case ChipFamily::bm1684:
      return errors::okk_overlap;
    case ChipFamily::bm1684x:
      return errors::tpu_overlap;
  }
  return errors::ops_overlap;
}

}  // namespace

ReadOrder read_order(const Operation& operation) {
  return std::visit([](const auto& op) { return ReadOrders::of(op); },
                    static_cast<const AnyOperation&>(operation));
}

bool reads_first(ReadOrder order) {
  return order == ReadOrder::first || order == ReadOrder::first_assumed || goes_by_element(order);
}

bool reads_own_index(const Operation& operation, const Operand& source) {
  return std::visit([&](const auto& op) { return has_own_index(op, source.view); },
                    static_cast<const AnyOperation&>(operation));
}

Status check_overlap(const Operation& operation, const Chip& chip) {
  const ReadOrder order = read_order(operation);
  if (order == ReadOrder::first || order == ReadOrder::first_elements ||
      order == ReadOrder::in_order)
    return {};
  const bool refused = order == ReadOrder::refused;
  const OperandList list = operands(operation);
  for (size_t i = 1; i < list.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const TensorView &a = *list[i].view, &b = *list[j].view;
      if (list[i].access == Access::read && list[j].access == Access::read) continue;
      // Two results may have one argument, as those of exponentials do.
      if (list[i].name == list[j].name) continue;
      const bool in_place = is_in_place(a, b);
      if (in_place ? refused : overlap_in_part(a, b, chip))
        return violated(refused ? errors::ops_refused_overlap : unknown_order(chip), list[i].name,
                        a);
    }
  return {};
}

}  // namespace tputwin
