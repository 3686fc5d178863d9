// bmk1880_*: contexts, execution modes, CPU operators.
#include <bmkernel/bm_regcpu.h>
#include <tputwin/cpu_op.h>

#include <algorithm>
#include <cstring>

#include "base/errors/bmkernel.h"
#include "base/last_error.h"
#include "chip/family.h"
#include "sdk/bmkernel/call.h"

using namespace tputwin::bmkernel;
namespace errors = tputwin::errors;
using tputwin::ErrorId;

namespace {

// Runs a change of a context's state and records its error.
template <class Change>
void apply(bmk1880_context_t* ctx, std::string_view name, Change change) {
  if (has_context(ctx, name)) Call(*ctx, name).require(change(*ctx));
}

bool complete(const bmk1880_info_t* info, std::string_view call) {
  auto fail = [&](ErrorId rule, std::string_view argument, u32 value) {
    (void)tputwin::report(
        tputwin::Error(rule).in(call).argument(argument, fmt::format("{}", value)));
    return false;
  };
  if (!has_argument(info, call, "info")) return false;
  if (chip_of_version(info->chip_version) == nullptr)
    return fail(errors::bmk_chip_version, "info->chip_version", info->chip_version);
  if (!has_argument(info->cmdbuf, call, "info->cmdbuf")) return false;
  if (info->cmdbuf_size == 0) return fail(errors::bmk_cmdbuf_size, "info->cmdbuf_size", 0);
  return true;
}

void emit_cpu_op(Call& call, const char* op_name, const void* params, size_t size) {
  if (!(call.require(op_name != nullptr, errors::bmk_null_argument, "op_name", "NULL") &&
        call.require(size == 0 || params != nullptr, errors::bmk_null_argument, "params", "NULL")))
    return;
  size_t length = std::strlen(op_name);
  if (!call.require(length >= 1 && length <= 15, errors::bmk_cpu_op_name, "op_name", op_name))
    return;
  tputwin::CpuCall op{.name = op_name};
  const auto* bytes = static_cast<const u8*>(params);
  op.params.assign(bytes, bytes + size);
  call.emit(op);
}

}  // namespace

extern "C" {

bmk1880_chip_info_t bmk1880_chip_info(void) {
  const tputwin::Chip& chip = tputwin::chip_of_process(tputwin::ChipFamily::bm1880);
  bmk1880_chip_info_t info;
  info.version = chip.version;
  info.npu_num = chip.lanes;
  info.eu_num = chip.eu_bytes;
  info.lmem_size = chip.lane_bytes;
  info.lmem_banks = chip.banks;
  info.lmem_bank_size = chip.bank_bytes();
  return info;
}

bmk1880_context_t* bmk1880_register(bmk1880_info_t* info) {
  if (!complete(info, __func__)) return nullptr;
  return new bmk1880_context(*chip_of_version(info->chip_version),
                             CommandBuffer(std::span(info->cmdbuf, info->cmdbuf_size)));
}

void bmk1880_cleanup(bmk1880_context_t* ctx) {
  if (has_context(ctx, __func__)) delete ctx;
}

u8* bmk1880_acquire_cmdbuf(bmk1880_context_t* ctx, u32* size) {
  if (size != nullptr) *size = 0;
  if (!has_context(ctx, __func__)) return nullptr;
  Call call(*ctx, __func__);
  if (!call.require(size != nullptr, errors::bmk_null_argument, "size", "NULL")) return nullptr;
  auto buffer = ctx->finish();
  if (!call.require(buffer.status())) return nullptr;
  *size = static_cast<u32>(buffer->size());
  return buffer->data();
}

void bmk1880_reset(bmk1880_context_t* ctx) {
  if (has_context(ctx, __func__)) ctx->reset();
}

void bmk1880_parallel_enable(bmk1880_context_t* ctx) {
  apply(ctx, __func__, [](Context& c) { return c.parallel_enable(); });
}

void bmk1880_parallel_disable(bmk1880_context_t* ctx) {
  apply(ctx, __func__, [](Context& c) { return c.parallel_disable(); });
}

void bmk1880_create_streams(bmk1880_context_t* ctx, int nr_streams) {
  apply(ctx, __func__, [=](Context& c) { return c.create_streams(nr_streams); });
}

void bmk1880_destroy_streams(bmk1880_context_t* ctx) {
  apply(ctx, __func__, [](Context& c) { return c.destroy_streams(); });
}

void bmk1880_set_stream(bmk1880_context_t* ctx, int i) {
  apply(ctx, __func__, [=](Context& c) { return c.set_stream(i); });
}

void bmk1880_add_dependency(bmk1880_context_t* ctx, bmk1880_op_t* before, bmk1880_op_t* after) {
  apply(ctx, __func__, [=](Context& c) { return c.add_dependency(before, after); });
}

void bmk1880_cpu_op(bmk1880_context_t* ctx, const char* op_name, char* params, int size) {
  if (!has_context(ctx, __func__)) return;
  Call call(*ctx, __func__);
  if (call.require(size >= 0 && size <= CPU_OP_PARAM_BYTES, errors::bmk_cpu_op_size, "size", size))
    emit_cpu_op(call, op_name, params, static_cast<size_t>(size));
}

void tputwin_cpu_op(bmk1880_context_t* ctx, const char* op_name, const void* params, size_t size) {
  if (!has_context(ctx, __func__)) return;
  Call call(*ctx, __func__);
  emit_cpu_op(call, op_name, params, size);
}

}  // extern "C"
