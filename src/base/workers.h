// Workers that stay with a thread for a while: loops inside reach them without waking them.
#pragma once

#include <functional>

namespace tputwin {

// Runs body on this thread, and keeps thread_count() - 1 workers of oneTBB with it until it
// returns (on fewer processors only as many): parallel_for inside hands pieces to them within a
// microsecond, where waking a worker for each loop takes longer than most loops. A worker that
// finds nothing to do for a moment parks until there is something. Inside of body, or of a piece of
// a loop: no more than body().
void with_workers(const std::function<void()>& body);

}  // namespace tputwin
