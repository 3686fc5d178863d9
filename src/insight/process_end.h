// The end of the process, however it ends: reports are complete up to there.
#pragma once

#include <string_view>

namespace tputwin::insight {

// Calls `finish` once when this process ends: by exit(), quick_exit() or _exit(), or by a signal
// that the program does not handle, on the thread that ends it. SIGKILL cannot be noticed. `why`
// completes "the program ...": "ends", "is killed by SIGSEGV". Children of fork() do not call it.
// Functions are called in the order in which they were registered, each time before those of exit()
// that were registered earlier. One that waits for the user may take its time; others must end
// within a minute of a signal, which may have come while a lock that they need was held.
void at_process_end(void (*finish)(std::string_view why), bool waits_for_user = false);

// Makes calls of _exit() by libraries that were loaded since noticed as well.
void notice_exit_calls();

}  // namespace tputwin::insight
