// Kernels in modules: shared libraries of device code that are loaded at run time.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/errors/bmlib.h"
#include "base/variables.h"
#include "sdk/bmlib/api.h"
#include "sdk/okkernel/kernel_library.h"
#include "sdk/okkernel/registry.h"

namespace tputwin::bmlib {
namespace {

using ModuleHandle = tpu_kernel_module_t;

struct Function {
  std::string name;
  okk::KernelFunction code;
  ModuleHandle module;
};

// A module of the program: the part that it sees, and our own data.
struct Module : bm_module {
  void* library = nullptr;  // nullptr: unloaded, or for registered kernels
  bool unloaded = false;
};

// All modules and functions of the process. Numbers of functions are never reused.
struct Modules {
  std::mutex mutex;
  std::map<ModuleHandle, std::unique_ptr<Module>> live;
  std::vector<Function> functions;
};

Modules& modules() {
  static auto& instance = *new Modules;
  return instance;
}

Status check_core(int core_id) {
  if (core_id == 0) return {};
  return Error(errors::bml_core).argument("core_id", fmt::format("{}", core_id));
}

// Modules require a chip of the BM1684X's family.
Status check_chip(const Card& card) {
  if (card.chip().family == ChipFamily::bm1684x) return {};
  return Error(errors::bml_chip_api)
      .argument("device", std::string(card.chip().name))
      .detail(
          "the process did not have libtpukernel when it opened the device; a linker that is given "
          "--as-needed leaves the library out of a program that calls no tpu_ function: link with "
          "-Wl,--no-as-needed, or set TPUTWIN_CHIP=BM1684X");
}

// Loads the library of tpu_* functions, which modules use without linking it.
void provide_device_api() {
  static_cast<void>(dlopen("libtpukernel.so.0", RTLD_NOW | RTLD_GLOBAL));
}

Result<void*> open_library(std::string_view call, const std::string& path) {
  provide_device_api();
  const okk::KernelLibrary library = okk::load_kernel_library(path, RTLD_LOCAL);
  if (library.handle == nullptr)
    return Error(library.undefined_at_load ? errors::bml_library_bound : errors::bml_module_file)
        .argument("module_file", path)
        .detail(library.reason);
  if (library.undefined.empty()) return library.handle;
  Status warning = report(
      Error(errors::bml_library_undefined).argument(path, okk::joined(library.undefined)).in(call));
  if (warning.ok()) return library.handle;
  dlclose(library.handle);
  return warning;
}

// For a module built for another machine: uses kernels that are registered already, or those of
// TPUKERNEL_FIRMWARE_PATH.
Result<void*> fall_back(std::string_view call, const Error& cause) {
  if (cause.id() != errors::bml_module_file) return cause;
  void* library = nullptr;
  if (const std::string firmware(value_of(EnvVariable::firmware_path)); !firmware.empty()) {
    TW_ASSIGN_OR_RETURN(loaded, open_library(call, firmware));
    library = loaded;
  }
  if (okk::kernels().names().empty() && library == nullptr) return cause;
  TW_RETURN_IF_ERROR(report(Error(errors::bml_module_fallback).detail(cause.message()).in(call)));
  return library;
}

ModuleHandle add_module(const std::string& name, void* library) {
  auto module = std::make_unique<Module>();
  std::strncpy(module->lib_name, name.c_str(), sizeof module->lib_name - 1);
  module->library = library;
  ModuleHandle handle = module.get();
  std::lock_guard lock(modules().mutex);
  modules().live.emplace(handle, std::move(module));
  return handle;
}

Result<ModuleHandle> load_file(std::string_view call, bm_handle_t handle, const char* file) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_pointer(file, "module_file"));
  TW_RETURN_IF_ERROR(check_chip(*card));
  const std::string name = std::filesystem::path(file).filename();
  // a path with a slash names the file itself, not one in a search path
  auto library = open_library(call, std::filesystem::absolute(file));
  if (library.ok()) return add_module(name, library.value());
  TW_ASSIGN_OR_RETURN(other, fall_back(call, library.error()));
  return add_module(name, other);
}

// Returns a memory file with the bytes of a module, because the loader takes only paths.
Result<int> memory_file(const char* data, size_t length) {
  const int file = memfd_create("tpu_kernel_module", MFD_CLOEXEC);
  for (size_t done = 0; file >= 0 && done < length;) {
    const ssize_t written = write(file, data + done, length - done);
    if (written <= 0) {
      close(file);
      return Error(errors::bml_module_file).argument("length", fmt::format("{}", length));
    }
    done += static_cast<size_t>(written);
  }
  if (file >= 0) return file;
  return Error(errors::bml_module_file).argument("length", fmt::format("{}", length));
}

Result<ModuleHandle> load_bytes(std::string_view call, bm_handle_t handle, const char* data,
                                size_t length, int core_id) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_core(core_id));
  TW_RETURN_IF_ERROR(check_pointer(data, "data"));
  TW_RETURN_IF_ERROR(check_chip(*card));
  TW_ASSIGN_OR_RETURN(file, memory_file(data, length));
  auto library = open_library(call, fmt::format("/proc/self/fd/{}", file));
  close(file);
  if (library.ok()) return add_module("memory", library.value());
  TW_ASSIGN_OR_RETURN(other, fall_back(call, library.error()));
  return add_module("memory", other);
}

Error no_module(ModuleHandle module) {
  return Error(errors::bml_module_handle)
      .argument("module", fmt::format("{}", static_cast<void*>(module)));
}

// Returns a loaded module. The caller holds the mutex of modules().
Result<Module*> find_module(ModuleHandle handle) {
  auto it = modules().live.find(handle);
  if (it == modules().live.end() || it->second->unloaded) return no_module(handle);
  return it->second.get();
}

// Returns a kernel registered under the name, or the module's export of that name.
okk::KernelFunction find_code(const Module& module, const char* name) {
  if (okk::KernelFunction code = okk::kernels().find(name)) return code;
  void* where = module.library != nullptr ? module.library : RTLD_DEFAULT;
  return reinterpret_cast<okk::KernelFunction>(dlsym(where, name));
}

Result<int> get_function(bm_handle_t handle, ModuleHandle module, const char* name, int core_id) {
  TW_RETURN_IF_ERROR(find_card(handle).status());
  TW_RETURN_IF_ERROR(check_core(core_id));
  TW_RETURN_IF_ERROR(check_pointer(name, "function"));
  std::lock_guard lock(modules().mutex);
  TW_ASSIGN_OR_RETURN(found, find_module(module));
  const okk::KernelFunction code = find_code(*found, name);
  if (code == nullptr)
    return Error(errors::bml_function_unknown)
        .argument("function", fmt::format("\"{}\"", name))
        .detail(fmt::format("registered: {}", fmt::join(okk::kernels().names(), ", ")));
  modules().functions.push_back({name, code, module});
  return static_cast<int>(modules().functions.size() - 1);
}

Result<std::shared_ptr<Launch>> launch_of(int function, const void* args, size_t size,
                                          int core_id) {
  TW_RETURN_IF_ERROR(check_core(core_id));
  std::lock_guard lock(modules().mutex);
  const auto& functions = modules().functions;
  const bool known = function >= 0 && static_cast<size_t>(function) < functions.size() &&
                     find_module(functions[static_cast<size_t>(function)].module).ok();
  if (!known) return Error(errors::bml_function).argument("function", fmt::format("{}", function));
  const Function& f = functions[static_cast<size_t>(function)];
  return make_launch(f.name, f.code, args, size);
}

// Removes the kernels that the library registered, because their code is unloaded.
void close_library(void* library) {
  dlclose(library);
  okk::kernels().remove_if([](okk::KernelFunction code) {
    Dl_info info{};
    return dladdr(reinterpret_cast<void*>(code), &info) == 0;
  });
}

Status unload(bm_handle_t handle, ModuleHandle handle_of_module, int core_id, bool free_too) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_core(core_id));
  return card->exclusively([&]() -> Status {
    std::lock_guard lock(modules().mutex);
    auto it = modules().live.find(handle_of_module);
    if (it == modules().live.end()) return no_module(handle_of_module);
    Module& module = *it->second;
    if (module.unloaded && !free_too) return no_module(handle_of_module);
    if (module.library != nullptr) close_library(module.library);
    module.library = nullptr;
    module.unloaded = true;
    if (free_too) modules().live.erase(it);
    return {};
  });
}

Status launch_list(bm_handle_t handle, const tpu_launch_param_t* list, int count) {
  TW_RETURN_IF_ERROR(check_pointer(list, "param_list"));
  for (int i = 0; i < count; ++i)
    TW_RETURN_IF_ERROR(launch_async(handle, launch_of(list[i].func_id, list[i].param_data,
                                                      list[i].param_size, list[i].core_id)));
  return {};
}

}  // namespace
}  // namespace tputwin::bmlib

using namespace tputwin;
using namespace tputwin::bmlib;

tpu_kernel_module_t tpu_kernel_load_module_file(bm_handle_t handle, const char* module_file) {
  return with_value<ModuleHandle>(
      __func__, nullptr, [&, call = __func__] { return load_file(call, handle, module_file); });
}

tpu_kernel_module_t tpu_kernel_load_module_file_key(bm_handle_t handle, const char* module_file,
                                                    const char*, int) {
  return with_value<ModuleHandle>(
      __func__, nullptr, [&, call = __func__] { return load_file(call, handle, module_file); });
}

tpu_kernel_module_t tpu_kernel_load_module(bm_handle_t handle, const char* data, size_t length) {
  return with_value<ModuleHandle>(__func__, nullptr, [&, call = __func__] {
    return load_bytes(call, handle, data, length, 0);
  });
}

tpu_kernel_module_t tpu_kernel_load_module_to_core(bm_handle_t handle, const char* data,
                                                   size_t length, int core_id) {
  return with_value<ModuleHandle>(__func__, nullptr, [&, call = __func__] {
    return load_bytes(call, handle, data, length, core_id);
  });
}

tpu_kernel_function_t tpu_kernel_get_function(bm_handle_t handle, tpu_kernel_module_t module,
                                              const char* function) {
  return with_value(__func__, -1, [&] { return get_function(handle, module, function, 0); });
}

tpu_kernel_function_t tpu_kernel_get_function_from_core(bm_handle_t handle,
                                                        tpu_kernel_module_t module,
                                                        const char* function, int core_id) {
  return with_value(__func__, -1, [&] { return get_function(handle, module, function, core_id); });
}

bm_status_t tpu_kernel_launch(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                              size_t size) {
  return with_code(__func__,
                   [&] { return launch_sync(handle, launch_of(function, args, size, 0)); });
}

bm_status_t tpu_kernel_launch_from_core(bm_handle_t handle, tpu_kernel_function_t function,
                                        void* args, size_t size, int core_id) {
  return with_code(__func__,
                   [&] { return launch_sync(handle, launch_of(function, args, size, core_id)); });
}

bm_status_t tpu_kernel_launch_async(bm_handle_t handle, tpu_kernel_function_t function, void* args,
                                    size_t size) {
  return with_code(__func__,
                   [&] { return launch_async(handle, launch_of(function, args, size, 0)); });
}

bm_status_t tpu_kernel_launch_async_from_core(bm_handle_t handle, tpu_kernel_function_t function,
                                              void* args, size_t size, int core_id) {
  return with_code(__func__,
                   [&] { return launch_async(handle, launch_of(function, args, size, core_id)); });
}

bm_status_t tpu_kernel_launch_async_multicores(bm_handle_t handle, tpu_launch_param_t* param_list,
                                               int param_num) {
  return with_code(__func__, [&] { return launch_list(handle, param_list, param_num); });
}

bm_status_t tpu_kernel_sync(bm_handle_t handle) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(found, find_handle(handle));
    return sync(*found);
  });
}

bm_status_t tpu_kernel_unload_module(bm_handle_t handle, tpu_kernel_module_t p_module) {
  return with_code(__func__, [&] { return unload(handle, p_module, 0, /*free_too=*/false); });
}

bm_status_t tpu_kernel_unload_module_from_core(bm_handle_t handle, tpu_kernel_module_t p_module,
                                               int core_id) {
  return with_code(__func__, [&] { return unload(handle, p_module, core_id, /*free_too=*/false); });
}

bm_status_t tpu_kernel_free_module(bm_handle_t handle, tpu_kernel_module_t p_module) {
  return with_code(__func__, [&] { return unload(handle, p_module, 0, /*free_too=*/true); });
}
