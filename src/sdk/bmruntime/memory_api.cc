// Device memory and copies.
#include "base/errors/bmruntime.h"
#include "sdk/bmruntime/api.h"
#include "sdk/bmruntime/state.h"

namespace tputwin::rt {
namespace {

Result<uint64_t> shape_bytes(const bmshape_t* shape) {
  TW_RETURN_IF_ERROR(check_pointer(shape, "shape"));
  int fmt = shape->fmt, dims = shape->dim_size;
  auto wrong = [&](int dim) {
    return Error(errors::bmr_memory_shape)
        .argument("shape", fmt::format("fmt {} dim_size {} extent {}", fmt, dims, dim));
  };
  if (fmt < 0 || fmt >= BM_FMT_MAX || dims < 1 || dims > BM_SHAPE_MAX_DIM) return wrong(0);
  uint64_t bytes = static_cast<uint64_t>(BM_FMT_BPP(fmt)) / 8;
  for (int i = 0; i < dims; ++i) {
    if (shape->dim[i] < 1) return wrong(shape->dim[i]);
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(shape->dim[i]), &bytes))
      return wrong(shape->dim[i]);
  }
  return bytes;
}

template <class T, class Field>
T memory_field(std::string_view call, bmctx_t ctx, bmmem_t mem, Field field) {
  return with_value(call, T{}, [&]() -> Result<T> {
    TW_ASSIGN_OR_RETURN(memory, find_memory(ctx, mem, "mem"));
    return static_cast<T>(field(*memory));
  });
}

}  // namespace
}  // namespace tputwin::rt

using namespace tputwin;
using namespace tputwin::rt;

bmmem_device_t bmmem_device_alloc_raw(bmctx_t ctx, size_t size) {
  return with_value(__func__, bmmem_t{}, [&] { return allocate(ctx, size); });
}

bmmem_device_t bmmem_device_alloc(bmctx_t ctx, bmshape_t* shape) {
  return with_value(__func__, bmmem_t{}, [&]() -> Result<bmmem_t> {
    TW_ASSIGN_OR_RETURN(bytes, shape_bytes(shape));
    return allocate(ctx, bytes);
  });
}

bmmem_device_t bmmem_device_prealloc_raw(bmctx_t ctx, bmmem_device_t mem, uint64_t offset,
                                         size_t size) {
  return with_value(__func__, bmmem_t{}, [&] { return make_view(ctx, mem, offset, size); });
}

bmmem_device_t bmmem_device_prealloc(bmctx_t ctx, bmmem_device_t mem, uint64_t offset,
                                     bmshape_t* shape) {
  return with_value(__func__, bmmem_t{}, [&]() -> Result<bmmem_t> {
    TW_ASSIGN_OR_RETURN(bytes, shape_bytes(shape));
    return make_view(ctx, mem, offset, bytes);
  });
}

void bmmem_device_free(bmctx_t ctx, bmmem_device_t mem) {
  with_code(__func__, [&] { return release(ctx, mem); });
}

size_t bmmem_device_size(bmctx_t ctx, bmmem_device_t mem) {
  return memory_field<size_t>(__func__, ctx, mem, [](const DeviceMemory& m) { return m.size; });
}

uint64_t bmmem_device_addr(bmctx_t ctx, bmmem_device_t mem) {
  return memory_field<uint64_t>(__func__, ctx, mem,
                                [](const DeviceMemory& m) { return m.address; });
}

// The program may write to the address at any time, until it frees the block.
uint8_t* bmmem_device_v_addr(bmctx_t ctx, bmmem_device_t mem) {
  return memory_field<uint8_t*>(__func__, ctx, mem, [](const DeviceMemory& m) {
    return m.device->chip->memories().expose_global(m.address, m.size);
  });
}

bmmem_host_t bmmem_host_alloc(bmctx_t, bmshape_t*) { return not_supported(__func__), nullptr; }
void bmmem_host_free(bmctx_t, bmmem_host_t) { not_supported(__func__); }
void* bmmem_host_v_addr(bmctx_t, bmmem_host_t) { return not_supported(__func__), nullptr; }
uint64_t bmmem_host_p_addr(bmctx_t, bmmem_host_t) { return not_supported(__func__), 0; }

bmmem_device_t bmmem_device_tsm_alloc(bmctx_t, bmshape_t*) {
  return not_supported(__func__), nullptr;
}
bmmem_device_t bmmem_device_tsm_alloc_raw(bmctx_t, size_t) {
  return not_supported(__func__), nullptr;
}
void bmmem_device_tsm_free(bmctx_t, bmmem_device_t) { not_supported(__func__); }

bmerr_t bm_memcpy_s2d(bmctx_t ctx, bmmem_device_t dst, uint8_t* src) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(memory, find_memory(ctx, dst, "dst"));
    return copy_in(ctx, dst, src, 0, memory->size);
  });
}

bmerr_t bm_memcpy_d2s(bmctx_t ctx, uint8_t* dst, bmmem_device_t src) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(memory, find_memory(ctx, src, "src"));
    return copy_out(ctx, src, dst, 0, memory->size);
  });
}

bmerr_t bm_memcpy_s2d_ex(bmctx_t ctx, bmmem_device_t dst, uint8_t* src, uint64_t offset,
                         size_t size) {
  return with_code(__func__, [&] { return copy_in(ctx, dst, src, offset, size); });
}

bmerr_t bm_memcpy_d2s_ex(bmctx_t ctx, uint8_t* dst, bmmem_device_t src, uint64_t offset,
                         size_t size) {
  return with_code(__func__, [&] { return copy_out(ctx, src, dst, offset, size); });
}

bmerr_t bm_memcpy_h2d(bmctx_t, bmmem_device_t, bmmem_host_t, uint32_t) {
  return not_supported(__func__);
}
bmerr_t bm_memcpy_d2h(bmctx_t, bmmem_host_t, bmmem_device_t, uint32_t) {
  return not_supported(__func__);
}
bmerr_t bm_memcpy_s2t(bmctx_t, bmmem_device_t, uint8_t*) { return not_supported(__func__); }
bmerr_t bm_memcpy_t2s(bmctx_t, uint8_t*, bmmem_device_t) { return not_supported(__func__); }
