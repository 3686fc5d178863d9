// Kernels: launches and waiting for them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "base/errors/bmlib.h"
#include "sdk/bmlib/api.h"
#include "sdk/okkernel/registry.h"

namespace tputwin::bmlib {
namespace {

constexpr size_t kNameBytes = 64;  // bytes of the field that holds a name

Result<okk::KernelFunction> find_kernel(const char* name) {
  TW_RETURN_IF_ERROR(check_pointer(name, "func_name"));
  if (strnlen(name, kNameBytes + 1) > kNameBytes)
    return Error(errors::bml_kernel_name)
        .argument("func_name", fmt::format("\"{:.{}}...\"", name, kNameBytes));
  if (okk::KernelFunction function = okk::kernels().find(name)) return function;
  return Error(errors::bml_kernel_unknown)
      .argument("func_name", fmt::format("\"{}\"", name))
      .detail(fmt::format("registered: {}", fmt::join(okk::kernels().names(), ", ")));
}

Result<std::shared_ptr<Launch>> launch_of(const char* name, const void* args, unsigned size) {
  TW_ASSIGN_OR_RETURN(function, find_kernel(name));
  return make_launch(name, function, args, size);
}

Status sync(bm_handle_t handle, bool of_this_thread) {
  TW_ASSIGN_OR_RETURN(found, find_handle(handle));
  const std::thread::id caller = std::this_thread::get_id();
  return sync(*found, of_this_thread ? &caller : nullptr);
}

}  // namespace

Result<std::shared_ptr<Launch>> make_launch(std::string name, okk::KernelFunction function,
                                            const void* args, size_t size) {
  if (size > 0) TW_RETURN_IF_ERROR(check_pointer(args, "args"));
  auto bytes = static_cast<const uint8_t*>(args);
  auto launch = std::make_shared<Launch>();
  launch->name = name;
  if (insight::is_watching())
    launch->arguments =
        insight::addresses_in(reinterpret_cast<const void*>(function), {bytes, size});
  launch->run = [name = std::move(name), function,
                 arguments = std::vector<uint8_t>(bytes, bytes + size)](Device& device) {
    return okk::run_kernel(device, name, function, arguments.data());
  };
  return launch;
}

Status launch_sync(bm_handle_t handle, Result<std::shared_ptr<Launch>> launch) {
  TW_ASSIGN_OR_RETURN(found, find_handle(handle));
  if (!launch.ok()) return launch.error();
  launch.value()->limit = found->limit;
  found->card->submit(launch.value());
  found->card->wait(launch.value());
  return collect(*launch.value());
}

Status launch_async(bm_handle_t handle, Result<std::shared_ptr<Launch>> launch) {
  TW_ASSIGN_OR_RETURN(found, find_handle(handle));
  if (!launch.ok()) return launch.error();
  launch.value()->limit = found->limit;
  std::lock_guard lock(found->mutex);
  found->card->submit(launch.value());
  found->unfinished.push_back(std::move(launch.value()));
  return {};
}

}  // namespace tputwin::bmlib

using namespace tputwin;
using namespace tputwin::bmlib;

bm_status_t okkernel_load_firmware(bm_handle_t handle, const char*, const char*) {
  return with_code(__func__, [&] { return find_card(handle).status(); });
}

bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                 unsigned int size) {
  return with_code(__func__, [&] { return launch_sync(handle, launch_of(func_name, args, size)); });
}

bm_status_t okkernel_launch_async(bm_handle_t handle, const char* func_name, const void* args,
                                  unsigned int size) {
  return with_code(__func__,
                   [&] { return launch_async(handle, launch_of(func_name, args, size)); });
}

bm_status_t tpu_kernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                   unsigned int size) {
  return with_code(__func__, [&] { return launch_sync(handle, launch_of(func_name, args, size)); });
}

bm_status_t bmkernel_launch(bm_handle_t handle, const void* args, unsigned int size) {
  return with_code(__func__, [&]() -> Status {
    const std::vector<std::string> names = okk::kernels().names();
    if (names.size() != 1)
      return Error(errors::bml_kernel_only)
          .argument("registered", fmt::format("{}", fmt::join(names, ", ")));
    return launch_async(handle, launch_of(names.front().c_str(), args, size));
  });
}

bm_status_t bmkernel_load_lookup_table(bm_handle_t handle, const void* table, unsigned int size) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    TW_RETURN_IF_ERROR(check_pointer(table, "table"));
    if (size == 0 || size > card->chip().table.bytes)
      return Error(errors::bml_table_size).argument("size", fmt::format("{}", size));
    auto bytes = static_cast<const uint8_t*>(table);
    card->exclusively([&] { card->table.assign(bytes, bytes + size); });
    return {};
  });
}

bm_status_t bm_set_sync_timeout(bm_handle_t handle, int timeout) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(found, find_handle(handle));
    if (timeout < 0)
      return Error(errors::bml_time_limit).argument("timeout", fmt::format("{}", timeout));
    *found->limit = timeout;
    found->card->reconsider_limits();
    return {};
  });
}

bm_status_t okkernel_sync(bm_handle_t handle) {
  return with_code(__func__, [&] { return sync(handle, /*of_this_thread=*/false); });
}

bm_status_t bm_handle_sync(bm_handle_t handle) {
  return with_code(__func__, [&] { return sync(handle, /*of_this_thread=*/false); });
}

bm_status_t bm_thread_sync(bm_handle_t handle) {
  return with_code(__func__, [&] { return sync(handle, /*of_this_thread=*/true); });
}

bm_status_t bm_thread_sync_from_core(bm_handle_t handle, int core_id) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(find_card(handle).status());
    if (core_id != 0)
      return Error(errors::bml_core).argument("core_id", fmt::format("{}", core_id));
    return sync(handle, /*of_this_thread=*/true);
  });
}

void bm_flush(bm_handle_t handle) {
  with_code(__func__, [&] { return sync(handle, /*of_this_thread=*/true); });
}

bm_status_t bm_device_sync(bm_handle_t handle) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    card->wait_all();
    return sync(handle, /*of_this_thread=*/false);
  });
}

void bmlib_set_api_dbg_callback(void (*callback)(int, int, int, const char*)) {
  launch_callback = callback;
}
