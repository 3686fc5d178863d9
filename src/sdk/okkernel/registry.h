// The kernels of the process by name. Usable before main: constructors of program and library
// objects register kernels in any order.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/okkernel/session.h"

namespace tputwin::okk {

class KernelRegistry {
 public:
  // Returns false if another function had the name; it is replaced.
  bool add(std::string_view name, KernelFunction function);
  KernelFunction find(std::string_view name) const;  // nullptr if there is none
  std::vector<std::string> names() const;            // sorted
  // Removes the kernels of a library that is unloaded.
  void remove_if(const std::function<bool(KernelFunction)>& goes);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, KernelFunction, std::less<>> functions_;
};

KernelRegistry& kernels();

}  // namespace tputwin::okk
