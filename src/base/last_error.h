// The calling thread's record of errors and warnings, behind include/tputwin/error.h. Front doors
// report every failed contract through these functions.
#pragma once

#include "base/diagnostics.h"
#include "base/error.h"

namespace tputwin {

// Errors and warnings of the calling thread, whichever context or device they belong to.
Diagnostics& thread_diagnostics();

// Books an error both with its owner (context, device) and with the calling thread. Returns an
// error Status if the call must fail.
Status report(Diagnostics& owner, Error error);
// For calls that have no owner.
Status report(Error error);
// The error as one of an API's call. What it was about, a file or a command, stays behind that:
// "bmrt_load_bmodel: net.bmodel".
Error in_call(Error error, std::string_view call);
// Books an error that another thread reported already: it is not logged again.
Status book_again(Error error);

}  // namespace tputwin
