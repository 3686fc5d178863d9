// Lane groups: operations that work inside lanes, one after the other, executed by ranges of lanes.
// A thread runs all operations in its range, so its operands stay in its cache, and threads meet
// once for all operations. One thread runs the operations one after the other.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/operation.h"
#include "ops/source_copies.h"

namespace tputwin::fast {
namespace {

struct LaneRange {
  uint32_t begin, end;
};

// The operands with an element for each element of the result. Tables of a lane are no such
// operands: operations find them by the number of the lane.
class ElementViews {
 public:
  void add(TensorView& view) { views_[size_++] = &view; }
  TensorView* const* begin() const { return views_.data(); }
  TensorView* const* end() const { return views_.data() + size_; }
  bool empty() const { return size_ == 0; }

 private:
  std::array<TensorView*, 6> views_{};
  size_t size_ = 0;
};

void add(ElementViews& views, TensorView& view) { views.add(view); }
void add(ElementViews& views, Source& source) {
  if (!source.is_constant) views.add(source.view);
}

template <class... Operands>
ElementViews list(Operands&... operands) {
  ElementViews views;
  (add(views, operands), ...);
  return views;
}

ElementViews element_views(FloatArithmetic& op) {
  return op.kind == FloatArithmetic::Kind::mul_add ? list(op.out, op.a, op.b, op.c)
                                                   : list(op.out, op.a, op.b);
}
ElementViews element_views(FloatFunction& op) {
  using Kind = FloatFunction::Kind;
  return op.kind == Kind::div || op.kind == Kind::pow ? list(op.out, op.a, op.b)
                                                      : list(op.out, op.a);
}
ElementViews element_views(IntArithmetic& op) {
  return op.kind == IntArithmetic::Kind::shift ? list(op.out, op.a, op.shift)
                                               : list(op.out, op.a, op.b, op.shift);
}
ElementViews element_views(Select& op) {
  ElementViews views = list(op.out, op.a, op.b, op.if_true, op.if_false);
  if (op.extreme) add(views, *op.extreme);
  return views;
}
ElementViews element_views(Bitwise& op) { return list(op.out, op.a, op.b); }
ElementViews element_views(Copy& op) { return list(op.dst, op.src); }
ElementViews element_views(Unary& op) { return list(op.out, op.in); }
ElementViews element_views(Convert& op) { return list(op.out, op.in); }
ElementViews element_views(Pool2dBm1684xFloat& op) { return list(op.out, op.in); }
ElementViews element_views(Pool2dBm1684xInt8& op) { return list(op.out, op.in); }

// Returns nothing for operations that do not work inside lanes.
template <class Op>
ElementViews element_views(Op&) {
  return {};
}

ElementViews element_views(Operation& operation) {
  return std::visit([](auto& op) { return element_views(op); },
                    static_cast<AnyOperation&>(operation));
}

bool has_other_operands(const Operation& operation) {
  if (const auto* function = std::get_if<FloatFunction>(&operation))
    return function->entries.has_value() ||
           std::ranges::any_of(function->work, [](const auto& work) { return work.has_value(); });
  const auto along_n = [](auto&... sources) { return (sources.along_n || ...); };
  if (const auto* op = std::get_if<FloatArithmetic>(&operation))
    return along_n(op->a, op->b, op->c);
  if (const auto* op = std::get_if<IntArithmetic>(&operation))
    return along_n(op->a, op->b, op->shift);
  if (const auto* op = std::get_if<Bitwise>(&operation)) return along_n(op->a, op->b);
  if (const auto* op = std::get_if<Copy>(&operation)) return along_n(op->src);
  if (const auto* op = std::get_if<Select>(&operation))
    return along_n(op->a, op->b, op->if_true, op->if_false);
  return false;
}

uint64_t start_lane(const TensorView& view, const LocalMemory& local) {
  return view.address / local.lane_bytes();
}

// Returns true if the channels are in consecutive lanes, each lane with one channel.
bool is_one_round(const TensorView& view, const LocalMemory& local) {
  return start_lane(view, local) + view.shape.c <= local.lanes();
}

// Narrows a view to its channels in the lanes. The rounds of a view with several become its n.
// Returns false if there are none.
bool narrow(TensorView& view, LaneRange lanes, const LocalMemory& local) {
  const auto start = static_cast<uint32_t>(start_lane(view, local));
  const bool is_one = is_one_round(view, local);
  const uint32_t first = std::max(lanes.begin, start);
  const uint32_t last = is_one ? std::min(lanes.end, start + view.shape.c) : lanes.end;
  if (first >= last) return false;
  if (!is_one) {
    view.shape.n = view.shape.c / local.lanes() + (first < view.shape.c % local.lanes());
    view.stride.n = view.stride.c;
  }
  view.address += uint64_t{first - start} * local.lane_bytes();
  view.shape.c = last - first;
  return true;
}

// Runs one operation in the lanes.
void run_in(const Operation& operation, LaneRange lanes, const Memory& memory) {
  Operation part = operation;
  for (TensorView* view : element_views(part))
    if (!narrow(*view, lanes, memory.local)) return;
  execute(part, memory);
}

class LaneGroup final : public PreparedKernel {
 public:
  LaneGroup(std::span<const Operation* const> operations, const LocalMemory& local)
      : operations_(operations.begin(), operations.end()), cuts_{0, local.lanes()} {
    for (const Operation* operation : operations_) add_size(*operation, local);
  }

  void run(const Memory& memory) override {
    const size_t parts = count_parts(memory.local.lanes());
    if (parts < 2) {
      for (const Operation* operation : operations_) execute(*operation, memory);
      return;
    }
    const std::vector<uint32_t> bounds = divide(parts, memory.local.lanes());
    parallel_for(bounds.size() - 1, 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        for (const Operation* operation : operations_)
          run_in(*operation, {bounds[i], bounds[i + 1]}, memory);
    });
  }

 private:
  // Adds the bytes that an operation touches. The number of rounds of an operand differs left and
  // right of a cut.
  void add_size(const Operation& operation, const LocalMemory& local) {
    Operation copy = operation;
    uint64_t bytes = 0;
    for (const TensorView* view : element_views(copy)) {
      bytes += view->shape.count() * element_bytes(view->dtype);
      if (!is_one_round(*view, local)) cuts_.push_back(view->shape.c % local.lanes());
      lanes_ = std::max(lanes_, std::min(view->shape.c, local.lanes()));
    }
    bytes_ += bytes;
  }

  // Returns the number of ranges of lanes. Each operation does some work in each of them. Threads
  // share large operations well one by one.
  size_t count_parts(uint32_t lanes) const {
    constexpr uint64_t kBytesWorthAPart = 16 << 10, kLargeBytes = 1 << 20;
    const uint64_t bytes = bytes_ / operations_.size();
    if (bytes > kLargeBytes) return 1;
    const uint64_t most = bytes / task_work(kBytesWorthAPart);
    const uint64_t parts = std::min<uint64_t>(most, static_cast<uint64_t>(thread_count()));
    return std::clamp<uint64_t>(parts, 1, std::max(1u, std::min(lanes_, lanes) / 2));
  }

  // Returns the bounds of the ranges, with every cut among them.
  std::vector<uint32_t> divide(size_t parts, uint32_t lanes) const {
    std::vector<uint32_t> bounds = cuts_;
    for (size_t i = 1; i < parts; ++i) bounds.push_back(static_cast<uint32_t>(lanes_ * i / parts));
    if (lanes_ < lanes) bounds.push_back(lanes_);
    std::ranges::sort(bounds);
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    return bounds;
  }

  const std::vector<const Operation*> operations_;
  std::vector<uint32_t> cuts_;
  uint32_t lanes_ = 0;  // that hold operands
  uint64_t bytes_ = 0;  // that all operations touch
};

}  // namespace

bool works_inside_lanes(const Operation& operation, const Memory& memory) {
  if (engine(operation) != Engine::compute || has_other_operands(operation) ||
      needs_copies(operation, memory.local))
    return false;
  Operation copy = operation;
  const ElementViews views = element_views(copy);
  if (views.empty()) return false;
  const TensorView& first = **views.begin();
  return first.shape.count() != 0 &&
         std::all_of(views.begin(), views.end(), [&](const TensorView* view) {
           const bool is_local = view->space == Space::local && view->shape.c == first.shape.c &&
                                 start_lane(*view, memory.local) == start_lane(first, memory.local);
           return is_local && (is_one_round(*view, memory.local) ||
                               (start_lane(*view, memory.local) == 0 && view->shape.n == 1));
         });
}

std::unique_ptr<PreparedKernel> prepare_lane_group(std::span<const Operation* const> operations,
                                                   const Memory& memory) {
  return std::make_unique<LaneGroup>(operations, memory.local);
}

}  // namespace tputwin::fast
