// The file of a recording.
#pragma once

#include "sdk/record/model_recorder.h"

namespace tputwin::record {

// Writes a bmodel. If `path` is a directory or ends with '/', writes the files that bmrt_test
// --context_dir reads: compilation.bmodel, and the recorded inputs and outputs of its nets.
Status write_recording(const std::vector<Recorded>& launches, const std::string& path);

}  // namespace tputwin::record
