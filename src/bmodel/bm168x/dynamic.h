// Dynamic nets: they have code for the chip's firmware in place of commands. Every tool and the
// runtime use these functions, so that all report the same text.
#pragma once

#include <string>
#include <string_view>

#include "bmodel/bm168x/model.h"

namespace tputwin::bmodel::bm168x {

// Returns a name such as "net lenet stage 0".
std::string stage_name(const NetT& net, size_t index);
// Returns "it is dynamic: subnet 0 has code ..."; empty for a static stage.
std::string dynamic_reason(const NetParameterT& stage);
// Returns an error errors::brt_subnet for a dynamic stage. `place` names the stage.
Status check_static(const NetParameterT& stage, std::string_view place);

}  // namespace tputwin::bmodel::bm168x
