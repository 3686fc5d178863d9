// Sizes that choose loops and splits. Tests make them small, so that small operands take the second
// pass of every loop. Results never depend on them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/parallel.h"

namespace tputwin::fast {

struct Budgets {
  // work of a task, in the units of its loop; 0: the loop's default
  uint64_t task_work = 0;
  // 32-bit cells copied at once, as images or positions in groups
  uint64_t copies = 4 << 20;
  // cells that are laid out just before they are read
  uint64_t band = 96 << 10;
  // most elements of a block of rows, columns of a chunk
  uint32_t block = UINT32_MAX;

  // Every loop makes as many passes as it can.
  static constexpr Budgets smallest() { return {1, 1, 1, 1}; }
};

const Budgets& budgets();
// Must not be called while operations run.
void set_budgets(const Budgets& budgets);

// Returns the largest multiple of `unit`, at least one unit, that exceeds neither `count` nor the
// budget of blocks. Returns `count` if the budget allows it.
inline size_t block_of(size_t count, size_t unit) {
  const size_t most = budgets().block;
  return most >= count ? count : std::max(unit, most / unit * unit);
}

inline uint64_t task_work(uint64_t usual) {
  return budgets().task_work != 0 ? budgets().task_work : usual;
}

// Returns how many items of `work` each are worth a task. `task` is the work of a task.
inline size_t grain_of(uint64_t work, uint64_t task) {
  return static_cast<size_t>(std::max<uint64_t>(1, task_work(task) / std::max<uint64_t>(1, work)));
}

// Calls function(begin, end) for pieces of [0, items) on several threads. `work` is the work of all
// items. There is one piece if that is not worth two tasks.
template <class Function>
void share_out(size_t items, uint64_t work, uint64_t task, const Function& function) {
  task = task_work(task);
  if (work < 2 * task) return function(size_t{0}, items);
  parallel_for(items, std::max<size_t>(1, static_cast<size_t>(items * task / work)), function);
}

}  // namespace tputwin::fast
