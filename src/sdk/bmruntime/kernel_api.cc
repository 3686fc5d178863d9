// BMKernel programs on a runtime context.
#include <libbmruntime/bmruntime_bmkernel.h>

#include <algorithm>

#include "base/errors/bmruntime.h"
#include "sdk/bmruntime/api.h"
#include "sdk/bmruntime/state.h"

namespace tputwin::rt {
namespace {

bool owned_by_this_thread(const std::unique_ptr<Kernel>& kernel) {
  return kernel->thread == std::this_thread::get_id();
}

bool thread_owns_kernel() {
  auto contexts = tables().contexts.all();
  return std::ranges::any_of(contexts, [](const auto& context) {
    std::lock_guard lock(context->mutex);
    return std::ranges::any_of(context->kernels, owned_by_this_thread);
  });
}

Status create(std::string_view call, bmctx_t ctx, void** result) {
  TW_RETURN_IF_ERROR(check_pointer(result, "p_bk_ctx"));
  TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
  TW_ASSIGN_OR_RETURN(context, find_context(ctx));
  if (thread_owns_kernel()) TW_RETURN_IF_ERROR(report(Error(errors::bmr_kernel_second).in(call)));
  auto kernel = std::make_unique<Kernel>(device->chip->chip());
  kernel->context->on_refused([device](const Error& error) {
    std::lock_guard lock(device->mutex);
    if (device->closed) return;
    for (Observer* observer : device->chip->observers()) observer->on_refused(error);
  });
  *result = kernel->context.get();
  std::lock_guard lock(context->mutex);
  context->kernels.push_back(std::move(kernel));
  return {};
}

// Returns this thread's newest kernel of a context, as an iterator into its list.
auto newest_kernel(Context& context) {
  auto& list = context.kernels;
  auto it = std::find_if(list.rbegin(), list.rend(), owned_by_this_thread);
  return it == list.rend() ? list.end() : std::prev(it.base());
}

Result<Kernel*> find_kernel(bmctx_t ctx) {
  TW_ASSIGN_OR_RETURN(context, find_context(ctx));
  std::lock_guard lock(context->mutex);
  auto it = newest_kernel(*context);
  if (it == context->kernels.end()) return Error(errors::bmr_kernel_missing);
  return it->get();
}

// Launches the commands of the kernel. If a call broke a contract, finish() returns its error,
// because the program lacks a command.
Status run_kernel(bmctx_t ctx, bmk1880_context_t* kernel) {
  TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
  TW_ASSIGN_OR_RETURN(commands, kernel->finish());
  TW_ASSIGN_OR_RETURN(program, decode_sent(*device, commands));
  return launch(*device, *program, {.context = ctx}, nullptr, commands);
}

// The kernel is empty and usable afterwards, also after an error.
Status submit(bmctx_t ctx) {
  TW_ASSIGN_OR_RETURN(kernel, find_kernel(ctx));
  Status status = run_kernel(ctx, kernel->context.get());
  kernel->context->reset();
  return status;
}

Status destroy(bmctx_t ctx) {
  TW_ASSIGN_OR_RETURN(context, find_context(ctx));
  std::lock_guard lock(context->mutex);
  auto it = newest_kernel(*context);
  if (it == context->kernels.end()) return Error(errors::bmr_kernel_missing);
  context->kernels.erase(it);
  return {};
}

}  // namespace
}  // namespace tputwin::rt

using namespace tputwin;
using namespace tputwin::rt;

bmerr_t bmruntime_bmkernel_create(bmctx_t ctx, bmkernel_handle_t** p_bk_ctx) {
  return with_code(__func__, [&] { return create("bmruntime_bmkernel_create", ctx, p_bk_ctx); });
}

void bmruntime_bmkernel_submit(bmctx_t ctx) {
  with_code(__func__, [&] { return submit(ctx); });
}

void bmruntime_bmkernel_submit_pio(bmctx_t ctx) {
  with_code(__func__, [&] { return submit(ctx); });
}

void bmruntime_bmkernel_destroy(bmctx_t ctx) {
  with_code(__func__, [&] { return destroy(ctx); });
}
