// The documented add_cpu_op, and plugins for a bmodel.
#pragma once

#include <bmkernel/bm1880/bmkernel_1880.h>

#include <string>
#include <vector>

#include "bmodel/bmodel.h"

namespace tputwin::net {

// While this object exists, the add_cpu_op() without a context writes into `context`. Applies to
// the calling thread only.
class CpuCallScope {
 public:
  explicit CpuCallScope(bmk1880_context_t* context);
  ~CpuCallScope();
  CpuCallScope(const CpuCallScope&) = delete;

 private:
  bmk1880_context_t* before_;
};

// Appends <folder>/x86_64/NAME.so and <folder>/armv8/NAME.so for each operator. The x86_64 file
// must exist; on Arm, one of the two is enough. A missing armv8 file is a warning.
Status add_plugins(bmodel::Model& model, const std::vector<std::string>& operators,
                   const std::string& folder);

}  // namespace tputwin::net
