// Dynamic nets: code for the chip's firmware in the place of commands. Every tool and the runtime
// ask here whether a stage is dynamic, and say it in these words.
#pragma once

#include <string>
#include <string_view>

#include "bmodel/bm168x/model.h"

namespace tputwin::bmodel::bm168x {

// "net lenet stage 0"
std::string stage_name(const NetT& net, size_t index);
// "it is dynamic: subnet 0 has code ..."; empty of a static stage.
std::string dynamic_reason(const NetParameterT& stage);
// Ok of a static stage, errors::brt_subnet of a dynamic one. `place` names the stage.
Status check_static(const NetParameterT& stage, std::string_view place);

}  // namespace tputwin::bmodel::bm168x
