// bmk1880_tl_*: tensors in local memory.
#include "base/errors/bmkernel.h"
#include "base/last_error.h"
#include "sdk/bmkernel/call.h"

using namespace tputwin::bmkernel;
namespace errors = tputwin::errors;

namespace {

// Returns true if a shape can be allocated: its size fits a lane.
bool allocatable(Call& call, const shape_t& s) {
  tputwin::Shape shape = nchw(call.chip(), s);
  auto fits = [](uint32_t extent) { return extent >= 1 && extent <= 0xffff; };
  return call.require(s.dim >= 1 && s.dim <= 4, errors::bmk_shape_dim, "s", s) &&
         call.require(fits(shape.n) && fits(shape.c) && fits(shape.h) && fits(shape.w),
                      errors::bmk_shape_extent, "s", s);
}

tensor_lmem describe_tensor(const Context& context, laddr_t address, shape_t s, fmt_t fmt,
                            bool aligned) {
  tensor_lmem t{};
  t.type = TL_TYPE_TENSOR_PREALLOC;
  t.operand.laddr = address;
  t.shape = s;
  t.aligned = aligned;
  t.fmt = fmt;
  t.bank_id = context.chip().banks;
  t.reserved_size = bytes_per_lane(context.chip(), s, aligned, fmt);
  return t;
}

// Returns NULL for a request that does not fit. This is no error of the program, so the context
// stays valid, and only the thread's record keeps the reason.
tensor_lmem* allocate(Context& context, std::string_view name, uint32_t stack, shape_t s, fmt_t fmt,
                      u32 ctrls) {
  Call call(context, name);
  if (!allocatable(call, s)) return nullptr;
  tensor_lmem t = describe_tensor(context, 0, s, fmt, ctrls & CTRL_AL);
  t.type = TL_TYPE_TENSOR;
  t.bank_id = stack;
  tputwin::Result<tensor_lmem*> tensor = context.tensors().allocate(t, stack);
  if (tensor.ok()) return *tensor;
  if (tensor.error().id() == errors::bmk_lmem_full)
    (void)tputwin::report(tputwin::Error(tensor.error()).in(name));
  else
    call.require(tensor.status());
  return nullptr;
}

}  // namespace

extern "C" {

tensor_lmem* bmk1880_tl_alloc(bmk1880_context_t* ctx, shape_t s, fmt_t fmt, u32 ctrls) {
  if (!has_context(ctx, __func__)) return nullptr;
  return allocate(*ctx, __func__, ctx->chip().banks, s, fmt, ctrls);
}

tensor_lmem* bmk1880_tl_alloc_bank(bmk1880_context_t* ctx, u32 bank_id, shape_t s, fmt_t fmt,
                                   u32 ctrls) {
  if (!has_context(ctx, __func__)) return nullptr;
  Call call(*ctx, __func__);
  if (!call.require(bank_id < ctx->chip().banks, errors::bmk_bank_id, "bank_id", bank_id))
    return nullptr;
  return allocate(*ctx, __func__, bank_id, s, fmt, ctrls);
}

tensor_lmem* bmk1880_tl_prealloc(bmk1880_context_t* ctx, laddr_t la, shape_t s, fmt_t fmt) {
  if (!has_context(ctx, __func__)) return nullptr;
  return ctx->tensors().add(describe_tensor(*ctx, la, s, fmt, /*aligned=*/false));
}

tensor_lmem* bmk1880_tl_prealloc_align(bmk1880_context_t* ctx, laddr_t la, shape_t s, fmt_t fmt) {
  if (!has_context(ctx, __func__)) return nullptr;
  return ctx->tensors().add(describe_tensor(*ctx, la, s, fmt, /*aligned=*/true));
}

void bmk1880_tl_free(bmk1880_context_t* ctx, tensor_lmem* t) {
  if (!has_context(ctx, __func__)) return;
  Call call(*ctx, __func__);
  if (call.require(t != nullptr, errors::bmk_null_argument, "t", "NULL") &&
      call.require(ctx->tensors().check_free(t)))
    ctx->tensors().free(t);
}

}  // extern "C"
