// The names of TPUKernel and OKKernel.
#include "tools/lift/dialect.h"

namespace tputwin::lift {
namespace {

constexpr Macro kTpuMacros[] = {
    {"DIMS", "DIMS(n, c, h, w) (&(const dim4){n, c, h, w})"},
    {"STRIDE", "STRIDE(n, c, h, w) (&(const dim4){n, c, h, w}) /* in elements */"},
    {"NPU", "NPU(n) ((n)*LOCAL_MEM_SIZE)"},
    {"HW", "HW(h, w) (&(const dim2){h, w})"},
    {"PAD", "PAD(top, bottom, left, right) (&(const padding_t){top, bottom, left, right})"},
    {"AT", "AT(a) (&(const variable_t){.type = TENSOR, .context = {.addr = a}})"},
    {"ONE_A_NPU", "ONE_A_NPU(a) (&(const variable_t){.type = VECTOR, .context = {.addr = a}})"},
    {"VALUE", "VALUE(x) (&(const variable_t){.type = SCALAR, .context = {.scalar = x}})"},
    {"F32_BITS", "F32_BITS(x) (((scalar_t){.u32 = x}).f32)"},
    {"F32", "F32(x) ((scalar_t){.f32 = x})"},
    {"F16", "F16(x) ((scalar_t){.u16 = x})"},
    {"BF16", "BF16(x) ((scalar_t){.u16 = x})"},
    {"U8", "U8(x) ((scalar_t){.u8 = x})"},
    {"I8", "I8(x) ((scalar_t){.s8 = x})"},
    {"U16", "U16(x) ((scalar_t){.u16 = x})"},
    {"I16", "I16(x) ((scalar_t){.s16 = x})"},
    {"U32", "U32(x) ((scalar_t){.u32 = x})"},
    {"I32", "I32(x) ((scalar_t){.s32 = x})"},
};

constexpr Macro kOkkMacros[] = {
    {"DIMS", "DIMS(n, c, h, w) (&(const dim4){n, c, h, w})"},
    {"STRIDE", "STRIDE(n, c, h, w) (&(const dim4){n, c, h, w}) /* in elements or cells */"},
    {"NPU", "NPU(n) ((n)*okk_local_mem_size_per_npu())"},
    {"HW", "HW(h, w) (&(const dim2){h, w})"},
    {"PAD", "PAD(top, bottom, left, right) (&(const Padding){top, bottom, left, right})"},
    {"AT", "AT(a) (&(const fp32_or_addr_t){.is_addr = true, .context = {.addr = a}})"},
    {"VALUE", "VALUE(x) (&(const fp32_or_addr_t){.is_addr = false, .context = {.val = x}})"},
    {"AT_X32", "AT_X32(a) (&(const x32_or_addr_t){.is_addr = true, .context = {.addr = a}})"},
    {"VALUE_X32", "VALUE_X32(x) (&(const x32_or_addr_t){.is_addr = false, .context = {.val = x}})"},
    {"F32_BITS", "F32_BITS(x) (((x32){.u32 = x}).fp32)"},
    {"F32", "F32(x) ((x32){.fp32 = x})"},
    {"U8", "U8(x) ((x8){.u8 = x})"},
    {"I8", "I8(x) ((x8){.s8 = x})"},
    {"U16", "U16(x) ((x16){.u16 = x})"},
    {"I16", "I16(x) ((x16){.s16 = x})"},
    {"U32", "U32(x) ((x32){.u32 = x})"},
    {"I32", "I32(x) ((x32){.s32 = x})"},
    {"NO_USE", "NO_USE 0 /* an address that is not looked at */"},
};

constexpr Dialect kTpu{.header = "tpu_kernel.h",
                       .prefix = "tpu",
                       .registration = "TPUKERNEL_FUNC_REGISTER",
                       .launch = "tpu_kernel_launch_sync",
                       .macros = kTpuMacros,
                       .has_scalars = true};
constexpr Dialect kOkk{.header = "okk.h",
                       .prefix = "okk",
                       .registration = "OKKERNEL_FUNC_REGISTER",
                       .launch = "okkernel_launch_sync",
                       .macros = kOkkMacros,
                       .has_scalars = false};

}  // namespace

const Dialect& dialect_of(const Chip& chip) {
  return chip.family == ChipFamily::bm1684x ? kTpu : kOkk;
}

}  // namespace tputwin::lift
