// Lookup of the call that makes an operation: the inverse of src/sdk.
#pragma once

#include "ops/instruction.h"
#include "tools/lift/attempt.h"

namespace tputwin::lift {

// Looks in the API of the recorder's chip.
Lifted call_of(const Instruction& instruction, Recorder& recorder);

// Look in the tables of TPUKernel and OKKernel; the others return the functions in them, each once.
Lifted tpu_call_of(const Instruction& instruction, Recorder& recorder);
Lifted okk_call_of(const Instruction& instruction, Recorder& recorder);
std::vector<std::string_view> tpu_functions();
std::vector<std::string_view> okk_functions();

}  // namespace tputwin::lift
