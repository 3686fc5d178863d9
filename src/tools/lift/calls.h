// Which call makes an operation: the inverse of src/sdk.
#pragma once

#include "ops/instruction.h"
#include "tools/lift/attempt.h"

namespace tputwin::lift {

// What is known of an operation's call: the one of the chip's API that makes it again, or, if none
// does and its command has to be carried out as it is, the rule that forbids it, if that is why.
struct Lifted {
  std::optional<Call> call;
  std::optional<Error> refused;
};
Lifted call_of(const Instruction& instruction, Recorder& recorder);

// The functions that the TPUKernel's table knows, each once.
std::vector<std::string_view> tpu_functions();

}  // namespace tputwin::lift
