#include "ops/fast/walk/cells.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "ops/fast/select/isa.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {
namespace {

constexpr size_t kCellBytes = 4, kBlockCells = 512;
constexpr size_t K = kMaxCellOperands;

using Buffer = std::array<uint8_t, kBlockCells * kCellBytes>;

// One operand of the blocks that a task works on.
class Port {
 public:
  void open(const CellOperand& operand, uint32_t group) {
    operand_ = &operand;
    parts_ = operand.view == nullptr ? 2 : group / operand.view->pack;
    if (operand.view == nullptr)
      for (size_t i = 0; i < kBlockCells; ++i) store_cell(0, i, operand.constant);
  }
  size_t parts() const { return parts_; }

  // The next run: its first cell, the distance of cells, and how many elements of a group exist.
  void start(uint8_t* at, size_t step, uint32_t valid) {
    at_ = at;
    step_ = step;
    valid_ = valid;
    filled_ = false;
  }

  // Where a block of cells from cell `first` on is for the kernel: in place, or in the buffer.
  uint8_t* block(size_t part, size_t first, size_t count) {
    if (operand_->view == nullptr) return buffer_[0].data();
    const uint32_t bytes = bytes_of(part);
    if (bytes == kCellBytes && step_ == kCellBytes) return cell(part, first);
    const bool reads = operand_->access != Access::write;
    if (reads && bytes != 0 && !(step_ == 0 && filled_)) {
      if (step_ == 0) count = kBlockCells;
      for (size_t i = 0; i < count; ++i)
        std::memcpy(&buffer_[part][i * kCellBytes], cell(part, first + i), bytes);
      filled_ = step_ == 0 && part + 1 == parts_;
    }
    return buffer_[part].data();
  }

  // Results from the buffer to where they belong.
  void finish(size_t part, size_t first, size_t count) {
    if (operand_->access == Access::read) return;
    const uint32_t bytes = bytes_of(part);
    if (bytes == kCellBytes && step_ == kCellBytes) return;
    for (size_t i = 0; i < count; ++i)
      std::memcpy(cell(part, first + i), &buffer_[part][i * kCellBytes], bytes);
  }

 private:
  uint8_t* cell(size_t part, size_t index) const {
    return at_ + part * operand_->view->stride.n + index * step_;
  }
  // Bytes of a part's cells that belong to elements.
  uint32_t bytes_of(size_t part) const {
    const TensorView& view = *operand_->view;
    const auto before = static_cast<uint32_t>(part * view.pack);
    return std::min<uint32_t>(valid_ > before ? valid_ - before : 0, view.pack) *
           element_bytes(view.dtype);
  }
  void store_cell(size_t part, size_t index, uint32_t bits) {
    Memory::store(&buffer_[part][index * kCellBytes], bits);
  }

  const CellOperand* operand_ = nullptr;
  size_t parts_ = 0, step_ = 0;
  uint8_t* at_ = nullptr;
  uint32_t valid_ = 0;
  bool filled_ = false;  // a cell for all is in the buffer
  std::array<Buffer, 2> buffer_{};
};

// An operation's cells: in groups of the elements that the fullest cells hold.
struct CellPlan {
  std::array<CellOperand, K> operands;
  size_t count = 0;
  Shape shape;
  uint32_t group = 1;
  Slots slots;
  CellKernel kernel;
  const void* operation;
};

// Groups along n: those that are full, or the last one that is not.
struct Groups {
  uint32_t first, count;
  uint32_t valid;  // elements of each
};

Nest<K> nest_of(const CellPlan& plan, const Groups& groups, uint32_t turns) {
  const Shape& s = plan.shape;
  std::array<NestLoop<K>, 4> loops{{{s.w, {}}, {s.h, {}}, {turns, {}}, {groups.count, {}}}};
  for (size_t k = 0; k < plan.count; ++k) {
    const TensorView* view = plan.operands[k].view;
    if (view == nullptr) continue;
    const Stride& stride = view->stride;
    loops[0].step[k] = stride.w;
    loops[1].step[k] = stride.h;
    loops[2].step[k] = stride.c;
    loops[3].step[k] = size_t{stride.n} * (plan.group / view->pack);
  }
  return make_nest(loops);
}

uint8_t* first_cell(const CellPlan& plan, const Memory& memory, const Groups& groups, size_t k,
                    size_t slot) {
  const TensorView* view = plan.operands[k].view;
  if (view == nullptr) return nullptr;
  const uint32_t n = groups.first * plan.group;
  return memory.byte(*view, n, static_cast<uint32_t>(slot), 0, 0);
}

void run_slot(const CellPlan& plan, const Memory& memory, const Groups& groups,
              std::array<Port, K>& ports, size_t slot, size_t begin, size_t end) {
  const Nest<K> nest = nest_of(plan, groups, plan.slots.turns(slot));
  std::array<uint8_t*, K> base{};
  for (size_t k = 0; k < plan.count; ++k) base[k] = first_cell(plan, memory, groups, k, slot);
  for_each_inner(nest, begin, std::min(end, nest.runs()), [&](const std::array<size_t, K>& at) {
    for (size_t k = 0; k < plan.count; ++k)
      ports[k].start(base[k] + at[k], nest.inner.count == 1 ? kCellBytes : nest.inner.step[k],
                     groups.valid);
    for (size_t first = 0; first < nest.inner.count; first += kBlockCells) {
      CellBlock block{
          .part = {}, .written = {}, .cells = std::min(kBlockCells, nest.inner.count - first)};
      for (size_t k = 0; k < plan.count; ++k) {
        block.written[k] = plan.operands[k].access != Access::read;
        for (size_t p = 0; p < ports[k].parts(); ++p)
          block.part[k][p] = ports[k].block(p, first, block.cells);
      }
      plan.kernel(plan.operation, block);
      for (size_t k = 0; k < plan.count; ++k)
        for (size_t p = 0; p < ports[k].parts(); ++p) ports[k].finish(p, first, block.cells);
    }
  });
}

void run_groups(const CellPlan& plan, const Memory& memory, const Groups& groups) {
  if (groups.count == 0 || groups.valid == 0) return;
  auto runs_of = [&](size_t slot) { return nest_of(plan, groups, plan.slots.turns(slot)).runs(); };
  const size_t runs = std::max(runs_of(0), runs_of(plan.slots.count - 1));
  const uint64_t bytes = plan.shape.count() * plan.count * kCellBytes / plan.group;
  share_out(plan.slots.count * runs, bytes, [&](size_t begin, size_t end) {
    std::array<Port, K> ports;
    for (size_t k = 0; k < plan.count; ++k) ports[k].open(plan.operands[k], plan.group);
    for (size_t item = begin; item < end;) {
      const size_t run = item % runs, take = std::min(end - item, runs - run);
      run_slot(plan, memory, groups, ports, item / runs, run, run + take);
      item += take;
    }
  });
}

bool has_cells(const TensorView& view, const Shape& shape) {
  return view.space == Space::local && view.shape == shape && is_run(view) &&
         run_bytes(view) == kCellBytes;
}

// Every result has its own bytes, and shares none with another operand unless in place.
bool overlaps_allow(const CellPlan& plan, const LocalMemory& local) {
  for (size_t i = 0; i < plan.count; ++i) {
    const CellOperand& result = plan.operands[i];
    if (result.access == Access::read) continue;
    if (!distinct_elements(*result.view, local)) return false;
    for (size_t j = 0; j < plan.count; ++j) {
      const CellOperand& other = plan.operands[j];
      if (i == j || other.view == nullptr || disjoint({result.view}, {other.view}, local)) continue;
      if (other.access != Access::read || !same_bytes({result.view}, {other.view})) return false;
    }
  }
  return true;
}

}  // namespace

bool run_cells(std::initializer_list<CellOperand> operands, const Memory& memory, CellKernel kernel,
               const void* operation) {
  CellPlan plan{.operands = {},
                .shape = operands.begin()->view->shape,
                .slots = {},
                .kernel = kernel,
                .operation = operation};
  if (!vectors_enabled() || plan.shape.count() == 0) return false;
  for (const CellOperand& operand : operands) {
    if (operand.view != nullptr) {
      if (!has_cells(*operand.view, plan.shape)) return false;
      plan.group = std::max<uint32_t>(plan.group, operand.view->pack);
    }
    plan.operands[plan.count++] = operand;
  }
  if (!overlaps_allow(plan, memory.local)) return false;
  plan.slots = local_slots(plan.shape, memory.local);
  const uint32_t whole = plan.shape.n / plan.group, rest = plan.shape.n % plan.group;
  run_groups(plan, memory, {0, whole, plan.group});
  run_groups(plan, memory, {whole, 1, rest});
  return true;
}

}  // namespace tputwin::fast
