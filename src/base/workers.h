// Workers that stay with a thread for a while. Inner loops reach them without waking them.
#pragma once

#include <functional>

namespace tputwin {

// Runs `function` on this thread, and keeps thread_count() - 1 workers of oneTBB with it until it
// returns (fewer on fewer processors). Then parallel_for passes pieces to them within a
// microsecond. Waking a worker for each loop would take longer than most loops. An idle worker
// parks after a short time. Inside `function`, or inside a piece of a loop, a nested call only runs
// function().
void with_workers(const std::function<void()>& function);

// Returns true inside such a function, and while a LoopRecorder is in force.
bool has_workers();

}  // namespace tputwin
