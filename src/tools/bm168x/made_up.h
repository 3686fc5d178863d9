// Made-up inputs of a stage, for runs without data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"

namespace tputwin::tools {

// Returns the bytes of each input, reproducible: synthetic() numbers. Inputs that an operator of
// the host takes as positions, or a switch as the number of a branch, are whole numbers that are
// valid there. `host_libraries` is as in Run168xOptions.
std::vector<std::vector<uint8_t>> made_up_inputs(const bmodel::bm168x::File& file,
                                                 const bmodel::bm168x::NetParameterT& stage,
                                                 const std::string& host_libraries);

}  // namespace tputwin::tools
