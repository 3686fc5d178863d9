// One run of a stage with the memories of its user.
#pragma once

#include <bmdef.h>

#include "sdk/bmlib/card.h"
#include "sdk/bmrt/net.h"

namespace tputwin::bmrt {

// Returns a launch that copies inputs to their compiled addresses, runs the commands and copies
// outputs back. The net must outlive the launch. Returns an error if the stage cannot run. With
// subnets on the host the run determines the shapes of the outputs: after it they are in `shapes`,
// if given.
Result<std::shared_ptr<bmlib::Launch>> make_launch(const Net& net, Stage& stage,
                                                   std::vector<UserTensor> inputs,
                                                   std::vector<UserTensor> outputs,
                                                   std::vector<bm_shape_t>* shapes = nullptr);

}  // namespace tputwin::bmrt
