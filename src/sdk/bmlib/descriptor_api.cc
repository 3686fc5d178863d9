// Memory descriptors, which are plain values.
#include <bmlib_runtime.h>

#include <utility>

#include "sdk/bmlib/api.h"

namespace {

// Changes *pmem if it is not NULL.
template <class Memory, class Change>
void change(std::string_view call, Memory* pmem, Change change) {
  tputwin::bmlib::with_code(call, [&]() -> tputwin::Status {
    TW_RETURN_IF_ERROR(tputwin::bmlib::check_pointer(pmem, "pmem"));
    change(*pmem);
    return {};
  });
}

bm_mem_desc of_type(bm_mem_type_t type) {
  bm_mem_desc mem{};
  mem.flags.u.mem_type = type;
  return mem;
}

}  // namespace

bm_mem_type_t bm_mem_get_type(struct bm_mem_desc mem) { return mem.flags.u.mem_type; }

unsigned long long bm_mem_get_device_addr(struct bm_mem_desc mem) {
  return mem.u.device.device_addr;
}

void bm_mem_set_device_addr(struct bm_mem_desc* pmem, unsigned long long addr) {
  change(__func__, pmem, [&](bm_mem_desc& mem) { mem.u.device.device_addr = addr; });
}

unsigned int bm_mem_get_device_size(struct bm_mem_desc mem) { return mem.size; }

void bm_mem_set_device_size(struct bm_mem_desc* pmem, unsigned int size) {
  change(__func__, pmem, [&](bm_mem_desc& mem) { mem.size = size; });
}

void bm_set_device_mem(bm_device_mem_t* pmem, unsigned int size, unsigned long long addr) {
  change(__func__, pmem, [&](bm_mem_desc& mem) { mem = bm_mem_from_device(addr, size); });
}

bm_device_mem_t bm_mem_from_device(unsigned long long device_addr, unsigned int len) {
  bm_device_mem_t mem = of_type(BM_MEM_TYPE_DEVICE);
  mem.u.device.device_addr = device_addr;
  mem.size = len;
  return mem;
}

bm_system_mem_t bm_mem_from_system(void* system_addr) {
  bm_system_mem_t mem = of_type(BM_MEM_TYPE_SYSTEM);
  mem.u.system.system_addr = system_addr;
  return mem;
}

void* bm_mem_get_system_addr(struct bm_mem_desc mem) { return mem.u.system.system_addr; }

void bm_mem_set_system_addr(struct bm_mem_desc* pmem, void* addr) {
  change(__func__, pmem, [&](bm_mem_desc& mem) { mem.u.system.system_addr = addr; });
}

bm_device_mem_t bm_mem_null(void) { return of_type(BM_MEM_TYPE_INVALID); }

// ---- Sizes of 64 bits ----

bm_mem_type_t bm_mem_get_type_u64(struct bm_mem_desc_u64 mem) { return mem.flags.u.mem_type; }

unsigned long long bm_mem_get_device_addr_u64(struct bm_mem_desc_u64 mem) {
  return mem.u.device.device_addr;
}

void bm_mem_set_device_addr_u64(struct bm_mem_desc_u64* pmem, unsigned long long addr) {
  change(__func__, pmem, [&](bm_mem_desc_u64& mem) { mem.u.device.device_addr = addr; });
}

unsigned long long bm_mem_get_device_size_u64(struct bm_mem_desc_u64 mem) { return mem.size; }

void bm_mem_set_device_size_u64(struct bm_mem_desc_u64* pmem, unsigned long long size) {
  change(__func__, pmem, [&](bm_mem_desc_u64& mem) { mem.size = size; });
}

void bm_set_device_mem_u64(bm_device_mem_u64_t* pmem, unsigned long long size,
                           unsigned long long addr) {
  change(__func__, pmem, [&](bm_mem_desc_u64& mem) { mem = bm_mem_from_device_u64(addr, size); });
}

bm_device_mem_u64_t bm_mem_from_device_u64(unsigned long long device_addr, unsigned long long len) {
  bm_device_mem_u64_t mem{};
  mem.flags.u.mem_type = BM_MEM_TYPE_DEVICE;
  mem.u.device.device_addr = device_addr;
  mem.size = len;
  return mem;
}

void* bm_mem_get_system_addr_u64(struct bm_mem_desc_u64 mem) { return mem.u.system.system_addr; }

void bm_mem_set_system_addr_u64(struct bm_mem_desc_u64* pmem, void* addr) {
  change(__func__, pmem, [&](bm_mem_desc_u64& mem) { mem.u.system.system_addr = addr; });
}
