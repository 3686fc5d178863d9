// Command buffers.
#include <bmkernel/bm1880/bmkernel_1880.h>

#include "base/errors/bmruntime.h"
#include "sdk/bmruntime/api.h"
#include "sdk/bmruntime/state.h"

namespace tputwin::rt {
namespace {

// Returns the device's form of a command buffer, with the addresses it has at `address`.
Result<std::vector<uint8_t>> convert(uint8_t* cmdbuf, size_t bytes) {
  size_t size = 0;
  auto failed = [] { return Error(errors::bmr_not_cmdbuf).argument("cmdbuf", "not convertible"); };
  if (bmk1880_dmabuf_size(cmdbuf, bytes, &size) != BM_SUCCESS) return failed();
  std::vector<uint8_t> dmabuf(size);
  if (bmk1880_dmabuf_convert(cmdbuf, bytes, dmabuf.data()) != BM_SUCCESS) return failed();
  return dmabuf;
}

Status load(bmctx_t ctx, uint8_t* cmdbuf, size_t bytes, bmmem_device_t* result) {
  TW_RETURN_IF_ERROR(check_pointer(result, "cmdbuf_mem"));
  TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
  TW_RETURN_IF_ERROR(check_pointer(cmdbuf, "cmdbuf"));
  TW_ASSIGN_OR_RETURN(program, decode(*device, {cmdbuf, bytes}));
  TW_ASSIGN_OR_RETURN(dmabuf, convert(cmdbuf, bytes));
  TW_ASSIGN_OR_RETURN(handle, allocate(ctx, dmabuf.size()));
  TW_ASSIGN_OR_RETURN(memory, find_memory(ctx, handle, "cmdbuf_mem"));
  (void)bmk1880_dmabuf_relocate(dmabuf.data(), memory->address);
  TW_RETURN_IF_ERROR(copy_in(ctx, handle, dmabuf.data(), 0, dmabuf.size()));
  std::lock_guard lock(memory->device->mutex);
  memory->program = std::move(program);
  *result = handle;
  return {};
}

Status run_loaded(bmctx_t ctx, bmmem_t mem, uint16_t* sequence) {
  TW_ASSIGN_OR_RETURN(memory, find_memory(ctx, mem, "cmdbuf_mem"));
  std::shared_ptr<PlannedProgram> program;
  {
    std::lock_guard lock(memory->device->mutex);
    program = memory->program;
  }
  if (program == nullptr) return Error(errors::bmr_not_cmdbuf);
  return launch(*memory->device, *program, {.context = ctx}, sequence);
}

Status send(bmctx_t ctx, const uint8_t* cmdbuf, size_t bytes, uint16_t* sequence) {
  TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
  TW_RETURN_IF_ERROR(check_pointer(cmdbuf, "cmdbuf"));
  TW_ASSIGN_OR_RETURN(program, decode_sent(*device, {cmdbuf, bytes}));
  return launch(*device, *program, {.context = ctx}, sequence, {cmdbuf, bytes});
}

Status wait(bmctx_t ctx, uint16_t sequence) {
  TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
  std::lock_guard lock(device->mutex);
  auto value = fmt::format("{}", sequence);
  bool given = device->launches > UINT16_MAX || (sequence != 0 && sequence <= device->launches);
  if (!given) return Error(errors::bmr_sequence).argument("seq_no", value);
  if (device->failed.count(sequence) != 0)
    return Error(errors::bmr_launch_failed).argument("seq_no", value);
  return {};
}

}  // namespace
}  // namespace tputwin::rt

using namespace tputwin;
using namespace tputwin::rt;

bmerr_t bm_load_cmdbuf(bmctx_t ctx, uint8_t* cmdbuf, size_t sz, bmmem_device_t* cmdbuf_mem) {
  return with_code(__func__, [&] { return load(ctx, cmdbuf, sz, cmdbuf_mem); });
}

bmerr_t bm_run_cmdbuf(bmctx_t ctx, bmmem_device_t cmdbuf_mem, uint16_t* seq_no) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(seq_no, "seq_no"));
    return run_loaded(ctx, cmdbuf_mem, seq_no);
  });
}

bmerr_t bm_send_cmdbuf(bmctx_t ctx, uint8_t* cmdbuf, size_t sz, uint16_t* seq_no) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(seq_no, "seq_no"));
    return send(ctx, cmdbuf, sz, seq_no);
  });
}

bmerr_t bm_wait_cmdbuf_done(bmctx_t ctx, uint16_t seq_no) {
  return with_code(__func__, [&] { return wait(ctx, seq_no); });
}

bmerr_t bm_run_cmdbuf_pio(bmctx_t ctx, uint8_t* cmdbuf, size_t sz) {
  return with_code(__func__, [&] { return send(ctx, cmdbuf, sz, nullptr); });
}

int bm_data_copy_u8(bmctx_t, u64, int, int, int, int, int, int, int, u64) {
  return static_cast<int>(not_supported(__func__));
}

int bm_data_transition(bmctx_t, u64, int, int, int, int, int, int, int, float, float, u64) {
  return static_cast<int>(not_supported(__func__));
}
