// Attributes of cpu_call.
#include "ops/cpu_call.h"

#include "ops/contract/attributes.h"

namespace tputwin {

void attributes(const CpuCall& op, AttributeSink& to) {
  to.word(op.sync ? "label" : "operator", op.name);
  if (!op.sync) to.number("params_bytes", static_cast<int64_t>(op.params.size()));
}

}  // namespace tputwin
