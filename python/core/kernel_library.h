// KernelLibrary: a shared object of kernels. Several libraries may have kernels of one name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chip/chip.h"
#include "core/kernel_device.h"

namespace tputwin::python {

class KernelLibrary {
 public:
  static Result<std::unique_ptr<KernelLibrary>> open(const std::string& path, const Chip& chip);
  ~KernelLibrary();
  KernelLibrary(const KernelLibrary&) = delete;
  KernelLibrary& operator=(const KernelLibrary&) = delete;

  // Returns the registered names; functions of the BM1880 are not registered.
  std::vector<std::string> names() const;
  Result<AnyKernel> find(const std::string& name) const;

 private:
  KernelLibrary() = default;
  void* handle_ = nullptr;
  std::string path_;
  bool registers_ = false;
  std::map<std::string, AnyKernel> kernels_;
};

}  // namespace tputwin::python
