// Sizes that choose loops and splits. Tests make them small, so that small operands take the second
// turn of every loop: results never depend on them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/parallel.h"

namespace tputwin::fast {

struct Budgets {
  uint64_t task_work = 0;       // of a task, in the units of its loop; 0: what the loop says
  uint64_t copies = 4 << 20;    // 32-bit cells that are copied at once: images or places in groups
  uint64_t band = 96 << 10;     // of them, where they are laid out just before they are read
  uint32_t block = UINT32_MAX;  // lanes of a block of rows, columns of a chunk: at most

  // Everything takes as many turns as it can.
  static constexpr Budgets smallest() { return {1, 1, 1, 1}; }
};

const Budgets& budgets();
// Not while operations run.
void set_budgets(const Budgets& budgets);

// Whole units of `unit`, at least one, of at most `count` and of what the budget of blocks allows.
inline size_t block_of(size_t count, size_t unit) {
  const size_t most = budgets().block;
  return most >= count ? count : std::max(unit, most / unit * unit);
}

inline uint64_t task_work(uint64_t usual) {
  return budgets().task_work != 0 ? budgets().task_work : usual;
}

// How many items of `work` each are worth a task, where `task` is the work that is.
inline size_t grain_of(uint64_t work, uint64_t task) {
  return static_cast<size_t>(std::max<uint64_t>(1, task_work(task) / std::max<uint64_t>(1, work)));
}

// body(begin, end) over pieces of [0, items) for threads, `work` in all: one piece, unless that is
// worth two tasks.
template <class Body>
void share_out(size_t items, uint64_t work, uint64_t task, const Body& body) {
  task = task_work(task);
  if (work < 2 * task) return body(size_t{0}, items);
  parallel_for(items, std::max<size_t>(1, static_cast<size_t>(items * task / work)), body);
}

}  // namespace tputwin::fast
