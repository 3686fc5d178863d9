// cpu_call: an operator that runs on the host processor in the middle of a command buffer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/contract/contract.h"

namespace tputwin {

// sync: only waits for the engines and has a text for tracing (op_type 2).
struct CpuCall {
  bool sync = false;
  std::string name;             // operator name, or text of a sync record
  std::vector<uint8_t> params;  // opaque payload
};

void attributes(const CpuCall&, AttributeSink&);

}  // namespace tputwin
