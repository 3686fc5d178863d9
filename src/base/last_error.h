// The calling thread's record of errors and warnings, used by include/tputwin/error.h. API calls
// report every failed contract through these functions.
#pragma once

#include "base/diagnostics.h"
#include "base/error.h"

namespace tputwin {

// Returns errors and warnings of the calling thread, for all contexts and devices.
Diagnostics& thread_diagnostics();

// Records an error in its owner (context, device) and in the calling thread. Returns an error
// Status if the call must fail.
Status report(Diagnostics& owner, Error error);
// Records an error in the calling thread only, for calls without an owner.
Status report(Error error);
// Returns the error under the name of an API call. The former name of its call, a file or a
// command, follows the new one: "bmrt_load_bmodel: net.bmodel".
Error in_call(Error error, std::string_view call);
// Records an error that another thread has reported already. It is not logged again.
Status book_again(Error error);

}  // namespace tputwin
