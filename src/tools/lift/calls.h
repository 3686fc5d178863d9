// Which call makes an operation: the inverse of src/sdk.
#pragma once

#include "ops/instruction.h"
#include "tools/lift/attempt.h"

namespace tputwin::lift {

// In the API of the recorder's chip.
Lifted call_of(const Instruction& instruction, Recorder& recorder);

// The tables of the TPUKernel and the OKKernel, and the functions that they know, each once.
Lifted tpu_call_of(const Instruction& instruction, Recorder& recorder);
Lifted okk_call_of(const Instruction& instruction, Recorder& recorder);
std::vector<std::string_view> tpu_functions();
std::vector<std::string_view> okk_functions();

}  // namespace tputwin::lift
