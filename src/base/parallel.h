// Parallel loops over independent pieces of one instruction, on oneTBB (idle workers park).
#pragma once

#include <cstddef>
#include <functional>

namespace tputwin {

// The largest number of threads.
constexpr int kMostThreads = 1024;

// Returns the number of threads used inside one instruction: TPUTWIN_THREADS, else
// usable_processors().
int thread_count();
// Overrides the number for the process; 0 restores the default. Tests compare 1 and N threads with
// it.
void set_thread_count(int threads);

// Calls function(begin, end) for disjoint pieces that cover [0, count). `grain` is the smallest
// piece worth a task. With one thread or count <= grain the function runs inline on the caller.
void parallel_for(size_t count, size_t grain, const std::function<void(size_t, size_t)>& function);

}  // namespace tputwin
