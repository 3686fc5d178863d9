// The table of the API of a chip's family.
#include "tools/lift/calls.h"

namespace tputwin::lift {

Lifted call_of(const Instruction& instruction, Recorder& recorder) {
  const bool is_tpu = recorder.chip().family == ChipFamily::bm1684x;
  return is_tpu ? tpu_call_of(instruction, recorder) : okk_call_of(instruction, recorder);
}

}  // namespace tputwin::lift
