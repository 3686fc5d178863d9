// Row chains: element-wise operations on tensors of one shape, one after the other, which a kernel
// computes tile by tile (walk/chain_tiles.h). Each result becomes a place of the chain, and each
// source is bound to the place of the last result that has its bytes.
#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/fast.h"
#include "ops/fast/prepared/chain_lookup.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/chain_tiles.h"
#include "ops/fast/walk/row_capture.h"
#include "ops/operation.h"
#include "ops/source_copies.h"

namespace tputwin::fast {
namespace {

bool can_miss(const TableLookup& op) {
  return op.table.shape.w < uint64_t{1} << (8 * element_bytes(op.in.dtype));
}

// Returns the rows of a lookup without its work, or nothing if it is none of rows.
std::optional<CapturedRows> lookup(const TableLookup& op) {
  if (!has_elements(op.out) || !has_elements(op.in) || op.in.shape != op.out.shape ||
      !is_run(op.table) || !has_dense_rows(op.table) || op.table.shape.w == 0)
    return {};
  CapturedRows rows;
  rows.operands[0] = row_result(op.out);
  rows.operands[1] = row_source(op.in);
  rows.count = 2;
  rows.work = {.form = RowForm::elements,
               .kernel = lookup_rows,
               .operation = nullptr,
               .weight = 4,
               .by_lane = true};
  return rows;
}

template <class Op>
constexpr bool kHasRows =
    std::is_same_v<Op, FloatArithmetic> || std::is_same_v<Op, FloatFunction> ||
    std::is_same_v<Op, IntArithmetic> || std::is_same_v<Op, Convert> ||
    std::is_same_v<Op, Select> || std::is_same_v<Op, Bitwise> || std::is_same_v<Op, Unary>;

// Returns the work of an operation on rows; nothing if no kernel on rows covers it.
std::optional<CapturedRows> capture(const Operation& operation, const Memory& memory) {
  return std::visit(
      [&]<class Op>(const Op& op) -> std::optional<CapturedRows> {
        if constexpr (std::is_same_v<Op, TableLookup>) return lookup(op);
        if constexpr (kHasRows<Op>) {
          const RowCapture rows;
          if (fast::execute(op, memory) && rows.rows().count != 0) return rows.rows();
        }
        return {};
      },
      static_cast<const AnyOperation&>(operation));
}

// Returns true if the operation reads or writes nothing but its operands and small tables.
bool is_plain(const Operation& operation) {
  if (const auto* function = std::get_if<FloatFunction>(&operation))
    return !function->entries && !destroys_source(function->kind) &&
           std::ranges::none_of(function->work, [](const auto& work) { return work.has_value(); });
  if (const auto* select = std::get_if<Select>(&operation)) return !select->extreme;
  return true;
}

bool are_plain(const CapturedRows& rows) {
  const std::span operands(rows.operands.data(), rows.count);
  return std::ranges::all_of(operands, [&](const RowOperand& operand) {
    return !operand.source.along_n && operand.valid_bytes >= 4 &&
           (operand.source.is_constant || operand.source.view.pack == 1);
  });
}

// Returns the tensors that an operation reads and that have no element for each result.
std::vector<TensorView> tables(const Operation& operation) {
  std::vector<TensorView> views;
  const Shape& shape = operands(operation)[0].view->shape;
  if (const auto* lookup = std::get_if<TableLookup>(&operation)) return {lookup->table};
  for (const Operand& operand : operands(operation))
    if (operand.view->shape != shape) views.push_back(*operand.view);
  if (const auto* function = std::get_if<FloatFunction>(&operation))
    for (const auto* table : {&function->exp_coeff, &function->exp_table, &function->coeff})
      if (*table) views.push_back(**table);
  return views;
}

// Builds a chain operation by operation.
class ChainBuilder {
 public:
  explicit ChainBuilder(const Memory& memory) : memory_(memory) {}

  // Returns false if the operation cannot follow those before it.
  bool add(const ChainMember& member) {
    const Operation& op = *member.operation;
    auto rows = capture(op, memory_);
    if (!rows || !are_plain(*rows)) return false;
    ChainStep step{.work = rows->work, .kept = std::move(rows->kept), .count = rows->count};
    step.places.fill(ChainStep::kConstant);
    for (size_t k = 0; k < step.count; ++k) {
      step.streams[k] = stream_of(rows->operands[k], step.work.form);
      if (step.streams[k].is_constant || step.streams[k].written) continue;
      const auto place = place_of_source(step.streams[k].view);
      if (!place) return false;
      step.places[k] = *place;
    }
    if (const auto* lookup = std::get_if<TableLookup>(&op)) add_missing(*lookup);
    for (size_t k = 0; k < step.count; ++k)
      if (step.streams[k].written) step.places[k] = add_result(step.streams[k].view, member);
    for (const TensorView& table : tables(op)) tables_.push_back(table);
    chain_.steps.push_back(std::move(step));
    return true;
  }

  // Returns true if no access to lanes shares bytes with a write, unless both are to the same
  // element. A chain whose lookups can miss must keep its sources, because it runs again.
  bool is_legal() const {
    for (const TensorView& written : results_)
      for (const TensorView& table : tables_)
        if (!disjoint(written, table, memory_.local)) return false;
    for (const ChainPlace& stored : chain_.places) {
      if (!stored.is_stored) continue;
      for (const TensorView& kept : kept_)
        if (!disjoint(stored.view, kept, memory_.local)) return false;
      for (const ChainPlace& other : chain_.places) {
        if (&other == &stored || (!other.is_loaded && !other.is_stored)) continue;
        const bool may_share = other.is_stored || !can_miss_;
        if (!disjoint(stored.view, other.view, memory_.local) &&
            !(may_share && same_elements(stored.view, other.view)))
          return false;
      }
    }
    return true;
  }

  Chain finish() {
    chain_.shape = chain_.steps.front().streams[0].view.shape;
    for (uint32_t s = 0; s < chain_.steps.size(); ++s)
      for (size_t k = 0; k < chain_.steps[s].count; ++k)
        if (const uint32_t i = chain_.steps[s].places[k]; i != ChainStep::kConstant) use(i, s);
    assign_buffers();
    return std::move(chain_);
  }

 private:
  static bool same_elements(const TensorView& a, const TensorView& b) {
    return same_bytes(a, b) && element_bytes(a.dtype) == element_bytes(b.dtype);
  }

  // Returns nothing if the view has bytes of results, and not exactly those of the last of them.
  std::optional<uint32_t> place_of_source(const TensorView& view) {
    for (size_t i = results_.size(); i-- > 0;) {
      if (same_elements(results_[i], view)) return result_places_[i];
      if (!disjoint(results_[i], view, memory_.local)) return {};
    }
    for (uint32_t i = 0; i < chain_.places.size(); ++i)
      if (chain_.places[i].is_loaded && same_elements(chain_.places[i].view, view)) return i;
    chain_.places.push_back({.view = view, .bytes = element_bytes(view.dtype), .is_loaded = true});
    return static_cast<uint32_t>(chain_.places.size() - 1);
  }

  // A lookup that misses keeps old bytes. If the chain runs again, it finds them there unless the
  // chain stored over bytes that no result before the lookup makes again.
  void add_missing(const TableLookup& lookup) {
    if (!can_miss(lookup)) return;
    can_miss_ = true;
    const auto is_old = [&](const TensorView& view) { return same_elements(view, lookup.out); };
    if (std::ranges::none_of(results_, is_old)) kept_.push_back(lookup.out);
  }

  uint32_t add_result(const TensorView& view, const ChainMember& member) {
    const auto place = static_cast<uint32_t>(chain_.places.size());
    chain_.places.push_back(
        {.view = view, .bytes = element_bytes(view.dtype), .is_stored = !member.is_internal});
    results_.push_back(view);
    result_places_.push_back(place);
    return place;
  }

  void use(uint32_t i, uint32_t step) {
    ChainPlace& place = chain_.places[i];
    if (is_used_.size() < chain_.places.size()) is_used_.resize(chain_.places.size());
    if (!is_used_[i]) place.first = step;
    is_used_[i] = true;
    place.last = step;
  }

  // Gives each place a buffer that no other place uses at the same time.
  void assign_buffers() {
    std::vector<uint32_t> busy_until;  // the last step that uses a buffer
    std::vector<uint32_t> order(chain_.places.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](uint32_t i) { return chain_.places[i].first; });
    for (const uint32_t i : order) {
      ChainPlace& place = chain_.places[i];
      const auto free =
          std::ranges::find_if(busy_until, [&](uint32_t last) { return last < place.first; });
      place.buffer = static_cast<uint32_t>(free - busy_until.begin());
      if (free == busy_until.end())
        busy_until.push_back(place.last);
      else
        *free = place.last;
    }
    chain_.buffers = static_cast<uint32_t>(busy_until.size());
  }

  const Memory& memory_;
  Chain chain_;
  std::vector<TensorView> results_, tables_;
  std::vector<TensorView> kept_;  // whose bytes from before the chain it must keep
  std::vector<uint32_t> result_places_;
  std::vector<bool> is_used_;
  bool can_miss_ = false;
};

class RowChain final : public PreparedKernel {
 public:
  RowChain(std::span<const ChainMember> members, Chain chain) : chain_(std::move(chain)) {
    for (const ChainMember& member : members) operations_.push_back(member.operation);
  }

  void run(const Memory& memory) override {
    std::atomic<bool> missed = false;
    for (size_t i = 0; i < operations_.size(); ++i) refresh(i, memory, missed);
    run_chain(chain_, memory);
    if (!missed) return;
    for (const Operation* operation : operations_) tputwin::execute(*operation, memory);
  }

 private:
  // Renews the work of operations that read tables, whose numbers may have changed.
  void refresh(size_t i, const Memory& memory, std::atomic<bool>& missed) {
    ChainStep& step = chain_.steps[i];
    if (const auto* lookup = std::get_if<TableLookup>(operations_[i])) {
      step.kept = std::make_shared<const ChainLookup>(ChainLookup{*lookup, memory, &missed});
      step.work.operation = step.kept.get();
    } else if (std::holds_alternative<FloatFunction>(*operations_[i])) {
      auto rows = capture(*operations_[i], memory);
      step.work = rows->work;
      step.kept = std::move(rows->kept);
    }
  }

  Chain chain_;
  std::vector<const Operation*> operations_;
};

}  // namespace

bool can_chain(const Operation& operation, const Memory& memory) {
  // A chain of fewer elements gains less than it costs to begin.
  constexpr uint64_t kElementsWorthAChain = 8192;
  const OperandList list = operands(operation);
  if (list.size() == 0 || list[0].view->shape.count() < task_work(kElementsWorthAChain))
    return false;
  if (!may_prepare(operation) || engine(operation) != Engine::compute || !is_plain(operation) ||
      needs_copies(operation, memory.local))
    return false;
  const auto rows = capture(operation, memory);
  return rows && are_plain(*rows);
}

std::unique_ptr<PreparedKernel> prepare_chain(std::span<const ChainMember> members,
                                              const Memory& memory) {
  ChainBuilder builder(memory);
  for (const ChainMember& member : members)
    if (!builder.add(member)) return nullptr;
  if (!builder.is_legal()) return nullptr;
  return std::make_unique<RowChain>(members, builder.finish());
}

}  // namespace tputwin::fast
