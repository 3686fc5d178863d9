// Devices and contexts.

#include "base/errors/bmruntime.h"
#include "base/variables.h"
#include "chip/family.h"
#include "sdk/bmruntime/api.h"
#include "sdk/bmruntime/state.h"

namespace tputwin::rt {
namespace {

int device_count() {
  const uint64_t most = BM_DEVICE_MAX_NUM;
  return static_cast<int>(std::clamp<uint64_t>(number_in(EnvVariable::devices), 1, most));
}

bm_devinfo_t chip_info(const Chip& chip) {
  return {.version = chip.version,
          .npu_num = chip.lanes,
          .eu_num = chip.eu_bytes,
          .lmem_size = chip.lane_bytes,
          .lmem_banks = chip.banks,
          .lmem_bank_size = chip.bank_bytes()};
}

bmctx_t make_context() {
  auto context = std::make_shared<Context>();
  context->handle = tables().contexts.add(context);
  return context->handle;
}

Status bind(bmctx_t ctx, bmdev_t dev) {
  TW_ASSIGN_OR_RETURN(context, find_context(ctx));
  TW_ASSIGN_OR_RETURN(device, find_device(dev));
  std::lock_guard lock(context->mutex);
  if (context->device != nullptr) return Error(errors::bmr_already_bound);
  context->device = device;
  return {};
}

Result<u64*> base_register(const std::shared_ptr<OpenDevice>& device, u32 index) {
  if (index < device->base_registers.size()) return &device->base_registers[index];
  return Error(errors::bmr_base_register).argument("inx", fmt::format("{}", index));
}

}  // namespace
}  // namespace tputwin::rt

using namespace tputwin;
using namespace tputwin::rt;

void bm_enum_devices(int* count, bm_devinfo_t devinfo[]) {
  with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(count, "count"));
    *count = device_count();
    if (devinfo != nullptr)
      std::fill_n(devinfo, *count, chip_info(chip_of_process(ChipFamily::bm1880)));
    return {};
  });
}

bmerr_t bm_device_open(int index, bmdev_t* dev) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(dev, "dev"));
    if (index < 0 || index >= device_count())
      return Error(errors::bmr_device_index).argument("index", fmt::format("{}", index));
    TW_ASSIGN_OR_RETURN(handle, open_device(index));
    *dev = handle;
    return {};
  });
}

void bm_device_close(bmdev_t dev) {
  with_code(__func__, [&] { return close_device(dev); });
}

bmerr_t bm_device_query(bmdev_t, int, void*) { return not_supported(__func__); }

bmerr_t bm_device_config(bmdev_t, int, void*) { return not_supported(__func__); }

bm_devinfo_t bm_device_get_info(bmdev_t dev) {
  return with_value(__func__, bm_devinfo_t{}, [&]() -> Result<bm_devinfo_t> {
    TW_ASSIGN_OR_RETURN(device, find_device(dev));
    return chip_info(device->chip->chip());
  });
}

u64 bm_device_get_gmem_size(bmdev_t dev) {
  return with_value(__func__, u64{0}, [&]() -> Result<u64> {
    TW_ASSIGN_OR_RETURN(device, find_device(dev));
    return u64{device->chip->memories().global_bytes()};
  });
}

int bm_device_get_chip_ver(bmdev_t dev) {
  return with_value(__func__, 0, [&]() -> Result<int> {
    TW_ASSIGN_OR_RETURN(device, find_device(dev));
    return static_cast<int>(device->chip->chip().version);
  });
}

bmerr_t bm_context_create(bmctx_t* ctx) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(ctx, "ctx"));
    *ctx = make_context();
    return {};
  });
}

void bm_context_destroy(bmctx_t ctx) {
  with_code(__func__, [&] { return destroy_context(ctx); });
}

bmerr_t bm_bind_device(bmctx_t ctx, bmdev_t dev) {
  return with_code(__func__, [&] { return bind(ctx, dev); });
}

void bm_unbind_device(bmctx_t ctx) {
  with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(bound_device(ctx).status());
    TW_ASSIGN_OR_RETURN(context, find_context(ctx));
    std::lock_guard lock(context->mutex);
    context->device.reset();
    return {};
  });
}

bmdev_t bm_get_device(bmctx_t ctx) {
  return with_value(__func__, bmdev_t{}, [&]() -> Result<bmdev_t> {
    TW_ASSIGN_OR_RETURN(context, find_context(ctx));
    std::lock_guard lock(context->mutex);
    return context->device != nullptr ? context->device->handle : nullptr;
  });
}

// The guide states that the index is not used. An index that names a device is used nevertheless.
bmerr_t bm_init(int index, bmctx_t* ctx) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(ctx, "ctx"));
    TW_ASSIGN_OR_RETURN(device, open_device(index >= 0 && index < device_count() ? index : 0));
    bmctx_t context = make_context();
    TW_RETURN_IF_ERROR(bind(context, device));
    *ctx = context;
    return {};
  });
}

void bm_exit(bmctx_t ctx) {
  with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(context, find_context(ctx));
    std::shared_ptr<OpenDevice> device;
    {
      std::lock_guard lock(context->mutex);
      device = context->device;
    }
    TW_RETURN_IF_ERROR(destroy_context(ctx));
    return device != nullptr ? close_device(device->handle) : Status();
  });
}

void bm_set_cmdbuf(bmctx_t ctx, u8* cmdbuf) {
  with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(context, find_context(ctx));
    TW_RETURN_IF_ERROR(check_pointer(cmdbuf, "cmdbuf"));
    std::lock_guard lock(context->mutex);
    context->cmdbuf = cmdbuf;
    return {};
  });
}

void bm_free_cmdbuf(bmctx_t ctx) {
  with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(context, find_context(ctx));
    std::lock_guard lock(context->mutex);
    context->cmdbuf = nullptr;
    return {};
  });
}

void bm_device_set_base_reg(bmctx_t ctx, u32 inx, u64 addr) {
  with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
    TW_ASSIGN_OR_RETURN(value, base_register(device, inx));
    std::lock_guard lock(device->mutex);
    *value = addr;
    return {};
  });
}

u64 bm_device_read_base_reg(bmctx_t ctx, u32 inx) {
  return with_value(__func__, u64{0}, [&]() -> Result<u64> {
    TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
    TW_ASSIGN_OR_RETURN(value, base_register(device, inx));
    std::lock_guard lock(device->mutex);
    return u64{*value};
  });
}

const char* bm_library_type(void) { return "cmodel"; }
