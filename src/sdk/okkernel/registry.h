// The kernels of the process by name. Usable before main: constructors of program and library
// objects register kernels in any order.
#pragma once

#include <okk.h>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tputwin::okk {

class KernelRegistry {
 public:
  // False if another function had the name; it is replaced.
  bool add(std::string_view name, okk_kernel_func_t function);
  okk_kernel_func_t find(std::string_view name) const;  // nullptr if there is none
  std::vector<std::string> names() const;               // sorted

 private:
  mutable std::mutex mutex_;
  std::map<std::string, okk_kernel_func_t, std::less<>> functions_;
};

KernelRegistry& kernels();

}  // namespace tputwin::okk
