// Sizes that choose loops and splits. Tests make them small, so that small operands take the second
// pass of every loop. Results never depend on them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/parallel.h"
#include "base/workers.h"

namespace tputwin::fast {

struct Budgets {
  // `task_work` is the work of a task, in the units of its loop. 0 selects the loop's default.
  uint64_t task_work = 0;
  // `copies` is the largest number of 32-bit cells in the planes of a group of images.
  uint64_t copies = 4 << 20;
  // `band` is the largest number of 32-bit cells in the planes of a band, which one thread lays out
  // and then reads from its cache.
  uint64_t band = 96 << 10;
  // `block` is the largest number of elements in a block of rows, and of columns in a chunk.
  uint32_t block = UINT32_MAX;

  // Returns the budgets with which every loop makes as many passes as it can.
  static constexpr Budgets smallest() { return {1, 1, 1, 1}; }
};

const Budgets& budgets();
// Replaces the budgets. The caller must not call it while operations run.
void set_budgets(const Budgets& budgets);

// Returns the largest multiple of `unit`, at least one unit, that exceeds neither `count` nor the
// budget of blocks. Returns `count` if the budget allows it.
inline size_t block_of(size_t count, size_t unit) {
  const size_t most = budgets().block;
  return most >= count ? count : std::max(unit, most / unit * unit);
}

// Returns the work of a task of short loops. Inside a program, workers poll for loops, so smaller
// tasks pay than for an operation by itself, which has to wake workers.
inline uint64_t task_of(uint64_t in_program, uint64_t alone) {
  return has_workers() ? in_program : alone;
}

inline uint64_t task_work(uint64_t usual) {
  return budgets().task_work != 0 ? budgets().task_work : usual;
}

// Returns how many items make up a task, if an item takes `work` and a task should take `task`.
inline size_t grain_of(uint64_t work, uint64_t task) {
  return static_cast<size_t>(std::max<uint64_t>(1, task_work(task) / std::max<uint64_t>(1, work)));
}

// Calls function(begin, end) for pieces of [0, items) on several threads. `work` is the work of all
// items. There is only one piece if `work` is less than that of two tasks.
template <class Function>
void share_out(size_t items, uint64_t work, uint64_t task, const Function& function) {
  task = task_work(task);
  if (work < 2 * task) return function(size_t{0}, items);
  parallel_for(items, std::max<size_t>(1, static_cast<size_t>(items * task / work)), function);
}

}  // namespace tputwin::fast
