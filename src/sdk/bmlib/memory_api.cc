// Allocation, heaps, and device memory filled from host memory.
#include <bit>

#include "base/errors/bmlib.h"
#include "sdk/bmlib/range.h"

namespace tputwin::bmlib {
namespace {

Status check_heap(int64_t heap, std::string_view argument) {
  if (0 <= heap && heap < kHeaps) return {};
  return Error(errors::bml_heap).argument(argument, fmt::format("{}", heap));
}

// Returns the first heap of a mask.
Result<uint32_t> heap_of_mask(int mask) {
  const auto heap = static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(mask)));
  if (heap < kHeaps) return heap;
  return Error(errors::bml_heap_mask).argument("heap_id_mask", fmt::format("{:#x}", mask));
}

Status free(bm_handle_t handle, const Descriptor& mem) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_device_type(mem, "mem"));
  return card->exclusively([&] { return card->free(mem.address); });
}

// Returns the heap that a descriptor of either form names.
template <class Memory>
Status heap_of(bm_handle_t handle, const Memory* pmem, unsigned* heap) {
  TW_RETURN_IF_ERROR(find_card(handle).status());
  TW_RETURN_IF_ERROR(check_pointer(pmem, "pmem"));
  TW_RETURN_IF_ERROR(check_pointer(heap, "heapid"));
  TW_RETURN_IF_ERROR(check_device_type(*pmem, "pmem"));
  *heap = pmem->flags.u.gmem_heapid;
  return {};
}

// Allocates *dev_mem and optionally copies sys_mem to it.
bm_status_t convert(std::string_view call, bm_handle_t handle, bm_mem_desc* dev_mem,
                    const bm_mem_desc& sys_mem, bool need_copy, int64_t bytes) {
  return with_code(call, [&]() -> Status {
    if (need_copy) {
      if (sys_mem.flags.u.mem_type != BM_MEM_TYPE_SYSTEM)
        return Error(errors::bml_memory_type)
            .argument("sys_mem",
                      fmt::format("type {}", static_cast<int>(sys_mem.flags.u.mem_type)));
      TW_RETURN_IF_ERROR(check_pointer(sys_mem.u.system.system_addr, "sys_mem"));
    }
    TW_RETURN_IF_ERROR(allocate(handle, dev_mem, bytes));
    if (!need_copy) return {};
    return copy_in(call, handle, *dev_mem, sys_mem.u.system.system_addr, 0, dev_mem->size);
  });
}

}  // namespace
}  // namespace tputwin::bmlib

using namespace tputwin;
using namespace tputwin::bmlib;

bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int size) {
  return with_code(__func__, [&] { return allocate(handle, pmem, size); });
}

bm_status_t bm_malloc_device_dword(bm_handle_t handle, bm_device_mem_t* pmem, int count) {
  return with_code(__func__, [&] { return allocate(handle, pmem, block_bytes({count}, 4)); });
}

bm_status_t bm_malloc_neuron_device(bm_handle_t handle, bm_device_mem_t* pmem, int n, int c, int h,
                                    int w) {
  return with_code(__func__, [&] { return allocate(handle, pmem, block_bytes({n, c, h, w}, 4)); });
}

bm_status_t bm_malloc_device_byte_heap(bm_handle_t handle, bm_device_mem_t* pmem, int heap_id,
                                       unsigned int size) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_heap(heap_id, "heap_id"));
    return allocate(handle, pmem, size, static_cast<uint32_t>(heap_id));
  });
}

bm_status_t bm_malloc_device_byte_heap_mask(bm_handle_t handle, bm_device_mem_t* pmem,
                                            int heap_id_mask, unsigned int size) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(heap, heap_of_mask(heap_id_mask));
    return allocate(handle, pmem, size, heap);
  });
}

void bm_free_device(bm_handle_t handle, bm_device_mem_t mem) {
  with_code(__func__, [&] { return free(handle, mem); });
}

// ---- Sizes of 64 bits ----

bm_status_t bm_malloc_device_byte_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                      unsigned long long size) {
  return with_code(__func__, [&] { return allocate_u64(handle, pmem, size); });
}

bm_status_t bm_malloc_device_dword_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                       unsigned long long count) {
  return with_code(__func__,
                   [&] { return allocate_u64(handle, pmem, block_bytes_u64({count}, 4)); });
}

bm_status_t bm_malloc_neuron_device_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                        unsigned long long n, unsigned long long c,
                                        unsigned long long h, unsigned long long w) {
  return with_code(__func__, [&] {
    return allocate_u64(handle, pmem, block_bytes_u64({n, c, h, w}, 4));
  });
}

bm_status_t bm_malloc_device_byte_heap_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                           int heap_id, unsigned long long size) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_heap(heap_id, "heap_id"));
    return allocate_u64(handle, pmem, size, static_cast<uint32_t>(heap_id));
  });
}

bm_status_t bm_malloc_device_byte_heap_mask_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                                int heap_id_mask, unsigned long long size) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(heap, heap_of_mask(heap_id_mask));
    return allocate_u64(handle, pmem, size, heap);
  });
}

void bm_free_device_u64(bm_handle_t handle, bm_device_mem_u64_t mem) {
  with_code(__func__, [&] { return free(handle, mem); });
}

bm_status_t bm_get_gmem_heap_id_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem,
                                    unsigned int* heapid) {
  return with_code(__func__, [&] { return heap_of(handle, pmem, heapid); });
}

// ---- Heaps ----

unsigned long long bm_gmem_arm_reserved_request(bm_handle_t handle) {
  return with_value(__func__, 0ull, [&]() -> Result<unsigned long long> {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    return static_cast<unsigned long long>(card->reserved_address());
  });
}

void bm_gmem_arm_reserved_release(bm_handle_t handle) {
  with_code(__func__, [&] { return find_card(handle).status(); });
}

bm_status_t bm_get_gmem_heap_id(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int* heapid) {
  return with_code(__func__, [&] { return heap_of(handle, pmem, heapid); });
}

bm_status_t bm_get_gmem_total_heap_num(bm_handle_t handle, unsigned int* heap_num) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(find_card(handle).status());
    TW_RETURN_IF_ERROR(check_pointer(heap_num, "heap_num"));
    *heap_num = kHeaps;
    return {};
  });
}

bm_status_t bm_get_gmem_heap_stat_byte_by_id(bm_handle_t handle, bm_heap_stat_byte_t* pheap_byte,
                                             unsigned int heap_id) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    TW_RETURN_IF_ERROR(check_pointer(pheap_byte, "pheap_byte"));
    TW_RETURN_IF_ERROR(check_heap(heap_id, "heap_id"));
    card->exclusively([&] {
      uint64_t used = 0;
      for (uint32_t heap = 0; heap < kHeaps; ++heap) used += card->used_bytes(heap);
      *pheap_byte = {.heap_id = heap_id,
                     .mem_total = card->allocatable_bytes(),
                     .mem_avail = card->allocatable_bytes() - used,
                     .mem_used = card->used_bytes(heap_id),
                     .mem_start_addr = card->chip().global_base};
    });
    return {};
  });
}

bm_status_t bm_mem_convert_system_to_device_neuron(bm_handle_t handle, struct bm_mem_desc* dev_mem,
                                                   struct bm_mem_desc sys_mem, bool need_copy,
                                                   int n, int c, int h, int w) {
  return convert(__func__, handle, dev_mem, sys_mem, need_copy, block_bytes({n, c, h, w}, 4));
}

bm_status_t bm_mem_convert_system_to_device_neuron_byte(bm_handle_t handle,
                                                        struct bm_mem_desc* dev_mem,
                                                        struct bm_mem_desc sys_mem, bool need_copy,
                                                        int n, int c, int h, int w) {
  return convert(__func__, handle, dev_mem, sys_mem, need_copy, block_bytes({n, c, h, w}, 1));
}

bm_status_t bm_mem_convert_system_to_device_coeff(bm_handle_t handle, struct bm_mem_desc* dev_mem,
                                                  struct bm_mem_desc sys_mem, bool need_copy,
                                                  int coeff_count) {
  return convert(__func__, handle, dev_mem, sys_mem, need_copy, block_bytes({coeff_count}, 4));
}

bm_status_t bm_mem_convert_system_to_device_coeff_byte(bm_handle_t handle,
                                                       struct bm_mem_desc* dev_mem,
                                                       struct bm_mem_desc sys_mem, bool need_copy,
                                                       int coeff_count) {
  return convert(__func__, handle, dev_mem, sys_mem, need_copy, block_bytes({coeff_count}, 1));
}
