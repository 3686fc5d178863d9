// One run of a stage with the memories of its user.
#pragma once

#include <bmdef.h>

#include "sdk/bmlib/card.h"
#include "sdk/bmrt/net.h"

namespace tputwin::bmrt {

// Copies inputs to their compiled places, runs the commands, copies outputs back. The net must
// outlive the launch. An error if the stage does not run. With subnets on the host the shapes of
// the outputs are those of the run, in `shapes`, if it is there, after it.
Result<std::shared_ptr<bmlib::Launch>> make_launch(const Net& net, Stage& stage,
                                                   std::vector<UserTensor> inputs,
                                                   std::vector<UserTensor> outputs,
                                                   std::vector<bm_shape_t>* shapes = nullptr);

}  // namespace tputwin::bmrt
