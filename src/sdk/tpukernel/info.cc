// Properties of the chip, and pointers into its memories.
#include <algorithm>
#include <cstring>

#include "sdk/okkernel/pointer.h"
#include "sdk/tpukernel/call.h"

using namespace tputwin;
using namespace tputwin::tpu;

int tpu_npu_num(void) { return static_cast<int>(chip_in_use().lanes); }
int tpu_bank_num(void) { return static_cast<int>(chip_in_use().banks); }
int tpu_eu_num(data_type_t dtype) {
  return static_cast<int>(chip_in_use().eu_bytes) / std::max(tpu_data_type_size(dtype), 1);
}
int tpu_local_mem_size_per_npu(void) { return static_cast<int>(chip_in_use().lane_bytes); }
int tpu_l2_sram_size(void) { return static_cast<int>(chip_in_use().l2.bytes); }
unsigned long long tpu_l2_sram_get_start_addr(void) { return chip_in_use().l2.base; }
unsigned long long tpu_global_mem_get_start_addr(void) { return chip_in_use().global_base; }
unsigned int tpu_local_mem_get_start_addr(void) {
  return static_cast<unsigned>(chip_in_use().local_base);
}
int tpu_gdma_shape_limit(int) { return static_cast<int>(chip_in_use().limits.dma_extent); }
int tpu_gdma_move_max_wstride_byte_len(void) {
  return static_cast<int>(chip_in_use().limits.dma_step);
}
int tpu_cache_line_size(void) { return 64; }

int tpu_core_num(void) { return 1; }
int tpu_core_index(void) { return 0; }
int tpu_workitem_num(void) { return 1; }
int tpu_workitem_index(void) { return 0; }
int tpu_group_num(void) { return 1; }
int tpu_group_index(void) { return 0; }

void* tpu_global_mem_addr(global_addr_t addr) {
  return okk::pointer_of_call<Call>(__func__, addr, [&](Device& device) {
    return okk::byte_at(device.memories().take_global(), chip_in_use().global_base, addr);
  });
}

void* tpu_l2_sram_addr(l2_sram_addr_t addr) {
  return okk::pointer_of_call<Call>(__func__, addr, [&](Device& device) {
    return okk::byte_at(device.memories().on_chip(Space::l2), chip_in_use().l2.base, addr);
  });
}

void* tpu_local_mem_addr(int start_idx, local_addr_t addr) {
  return okk::pointer_of_call<Call>(__func__, addr, [&](Device& device) {
    return okk::byte_at(device.memories().expose_local(), static_cast<uint64_t>(start_idx), addr);
  });
}

void* tpu_local_mem_addr_unified(local_addr_t addr) {
  return okk::pointer_of_call<Call>(__func__, addr, [&](Device& device) {
    return okk::byte_at(device.memories().expose_local(), addr / chip_in_use().lane_bytes,
                        addr % chip_in_use().lane_bytes);
  });
}

// The controller's cache is coherent here.
void tpu_invalidate_cache(system_addr_t, unsigned long long) {}
void tpu_flush_cache(system_addr_t, unsigned long long) {}

void* tpu_kernel_memcpy(void* dst, const void* src, size_t n) {
  return n == 0 ? dst : std::memcpy(dst, src, n);
}
void* tpu_kernel_memset(void* dst, int c, size_t n) {
  return n == 0 ? dst : std::memset(dst, c, n);
}
