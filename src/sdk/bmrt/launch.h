// One run of a stage with the memories of its user.
#pragma once

#include <bmdef.h>

#include "sdk/bmlib/card.h"
#include "sdk/bmrt/net.h"

namespace tputwin::bmrt {

// Where a tensor of the user lies, host or device memory, and how.
struct UserTensor {
  uint8_t* memory;
  bm_store_mode_t storage = BM_STORE_1N;
};

// Copies inputs to their compiled places, runs the commands, copies outputs back. The net must
// outlive the launch. An error if the stage does not run.
Result<std::shared_ptr<bmlib::Launch>> make_launch(const Net& net, Stage& stage,
                                                   std::vector<UserTensor> inputs,
                                                   std::vector<UserTensor> outputs);

}  // namespace tputwin::bmrt
