// add_cpu_op of the documents, and plugins for a bmodel.
#pragma once

#include <bmkernel/bm1880/bmkernel_1880.h>

#include <string>
#include <vector>

#include "bmodel/bmodel.h"

namespace tputwin::net {

// While it lives, the add_cpu_op() without a context writes into this one (of the calling thread).
class CpuCallScope {
 public:
  explicit CpuCallScope(bmk1880_context_t* context);
  ~CpuCallScope();
  CpuCallScope(const CpuCallScope&) = delete;

 private:
  bmk1880_context_t* before_;
};

// Appends <folder>/x86_64/NAME.so and <folder>/armv8/NAME.so for every operator. Only the second
// may be missing, with a warning, and on Arm the first.
Status add_plugins(bmodel::Model& model, const std::vector<std::string>& operators,
                   const std::string& folder);

}  // namespace tputwin::net
