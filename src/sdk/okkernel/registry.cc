// Kernels by name, and the C functions that add and find them.
#include "sdk/okkernel/registry.h"

#include <okk.h>

#include <cstdio>

#include "base/errors/okkernel.h"
#include "base/last_error.h"

namespace tputwin::okk {

bool KernelRegistry::add(std::string_view name, KernelFunction function) {
  std::lock_guard lock(mutex_);
  auto [it, inserted] = functions_.try_emplace(std::string(name), function);
  if (inserted || it->second == function) return true;
  it->second = function;
  return false;
}

KernelFunction KernelRegistry::find(std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : it->second;
}

std::vector<std::string> KernelRegistry::names() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> list;
  for (const auto& [name, function] : functions_) list.push_back(name);
  return list;
}

void KernelRegistry::remove_if(const std::function<bool(KernelFunction)>& goes) {
  std::lock_guard lock(mutex_);
  std::erase_if(functions_, [&](const auto& entry) { return goes(entry.second); });
}

KernelRegistry& kernels() {
  static auto& registry = *new KernelRegistry;
  return registry;
}

}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

void okk_register_kernel_func(const char* name, okk_kernel_func_t func) {
  auto broken = [](Error error) {
    static_cast<void>(report(std::move(error).in("okk_register_kernel_func")));
  };
  if (name == nullptr || func == nullptr)
    return broken(Error(errors::okk_null).argument(name == nullptr ? "name" : "func", "NULL"));
  if (!kernels().add(name, func)) broken(Error(errors::okk_kernel_twice).argument("name", name));
}

// Exported without a declaration, as in the vendor's library. Returns NULL for an unknown name.
extern "C" okk_kernel_func_t okk_get_kernel_func_by_name(const char* name) {
  return name != nullptr ? kernels().find(name) : nullptr;
}

void okk_dump_registered_kernel_funcs(void) {
  for (const std::string& name : kernels().names()) std::printf("%s\n", name.c_str());
}
