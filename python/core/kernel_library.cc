// Loads shared objects of kernels, and keeps the registrations of each separate.
#include "core/kernel_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mutex>

#include "base/errors/bmlib.h"
#include "base/errors/tools.h"
#include "base/last_error.h"
#include "sdk/okkernel/kernel_library.h"
#include "sdk/okkernel/registry.h"

namespace tputwin::python {
namespace {

// Returns true if a function is in the object that was loaded from `path`.
bool is_in_library(okk::KernelFunction function, const std::string& path) {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(function), &info) != 0 && info.dli_fname == path;
}

}  // namespace

Result<std::unique_ptr<KernelLibrary>> KernelLibrary::open(const std::string& path,
                                                           const Chip& chip) {
  // One load at a time, so that each library gets only its own registrations.
  static std::mutex loading;
  std::lock_guard lock(loading);
  const okk::KernelLibrary loaded = okk::load_kernel_library(path, RTLD_LOCAL);
  if (loaded.handle == nullptr)
    return Error(errors::cli_kernel_library).argument("library", path).detail(loaded.reason);
  std::unique_ptr<KernelLibrary> library(new KernelLibrary);
  library->handle_ = loaded.handle;
  library->path_ = path;
  library->registers_ = chip.family != ChipFamily::bm1880;
  for (const std::string& name : okk::kernels().names())
    if (const auto function = okk::kernels().find(name); is_in_library(function, path))
      library->kernels_[name] = reinterpret_cast<AnyKernel>(function);
  okk::kernels().remove_if([&](okk::KernelFunction f) { return is_in_library(f, path); });
  if (!loaded.undefined.empty())
    TW_RETURN_IF_ERROR(report(Error(errors::bml_library_undefined)
                                  .argument(path, okk::joined(loaded.undefined))
                                  .in("kernel")));
  return library;
}

KernelLibrary::~KernelLibrary() { dlclose(handle_); }

std::vector<std::string> KernelLibrary::names() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : kernels_) names.push_back(name);
  return names;
}

Result<AnyKernel> KernelLibrary::find(const std::string& name) const {
  if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;
  if (!registers_)
    if (void* function = dlsym(handle_, name.c_str())) return reinterpret_cast<AnyKernel>(function);
  return Error(errors::bml_kernel_unknown)
      .in("launch")
      .argument("name", fmt::format("\"{}\"", name))
      .detail(registers_ ? fmt::format("registered: {}", fmt::join(names(), ", "))
                         : "the library exports no function of that name");
}

}  // namespace tputwin::python
