// Device memory of more than 4 GiB: the functions that end in _u64. The tests touch only a few
// pages.
#include <cstdlib>

#include "bmlib/support.h"

namespace tputwin::testing {
namespace {

constexpr unsigned long long kGiB = 1ull << 30;

// A device with 20 GiB; the host reserves only pages that are touched.
class LargeMemory : public Bmlib {
 protected:
  LargeMemory() { setenv("TPUTWIN_GLOBAL_BYTES", "20G", 1); }
  ~LargeMemory() override { unsetenv("TPUTWIN_GLOBAL_BYTES"); }
  static bm_device_mem_u64_t allocate(bm_handle_t device, unsigned long long bytes) {
    bm_device_mem_u64_t memory{};
    EXPECT_EQ(bm_malloc_device_byte_u64(device, &memory, bytes), BM_SUCCESS);
    return memory;
  }
};

TEST_F(LargeMemory, BlocksOfMoreThan4GiBAreDisjoint) {
  Opened device;
  const bm_device_mem_u64_t a = allocate(device, 5 * kGiB + 1), b = allocate(device, 6 * kGiB);
  EXPECT_EQ(bm_mem_get_type_u64(a), BM_MEM_TYPE_DEVICE);
  EXPECT_EQ(bm_mem_get_device_addr_u64(a), 0x100000000u);
  EXPECT_EQ(bm_mem_get_device_size_u64(a), 5 * kGiB + 1);
  EXPECT_EQ(bm_mem_get_device_addr_u64(b), 0x100000000u + 5 * kGiB + 4096);
  bm_heap_stat_byte_t stat;
  ASSERT_EQ(bm_get_gmem_heap_stat_byte_by_id(device, &stat, 0), BM_SUCCESS);
  EXPECT_EQ(stat.mem_used, 11 * kGiB + 4096);
  bm_free_device_u64(device, a);
  bm_free_device_u64(device, b);
  ASSERT_EQ(bm_get_gmem_heap_stat_byte_by_id(device, &stat, 0), BM_SUCCESS);
  EXPECT_EQ(stat.mem_used, 0u);
  EXPECT_EQ(tputwin_error_count(), 0u);
}

TEST_F(LargeMemory, EveryWayToAllocate) {
  Opened device;
  bm_device_mem_u64_t memory{};
  unsigned heap = 9;
  ASSERT_EQ(bm_malloc_device_dword_u64(device, &memory, 5 * kGiB / 4), BM_SUCCESS);
  EXPECT_EQ(memory.size, 5 * kGiB);
  ASSERT_EQ(bm_malloc_neuron_device_u64(device, &memory, 5, 1024, 1024, 256), BM_SUCCESS);
  EXPECT_EQ(memory.size, 5 * kGiB);
  ASSERT_EQ(bm_malloc_device_byte_heap_u64(device, &memory, 2, kGiB), BM_SUCCESS);
  ASSERT_EQ(bm_get_gmem_heap_id_u64(device, &memory, &heap), BM_SUCCESS);
  EXPECT_EQ(heap, 2u);
  ASSERT_EQ(bm_malloc_device_byte_heap_mask_u64(device, &memory, 6, kGiB), BM_SUCCESS);
  ASSERT_EQ(bm_get_gmem_heap_id_u64(device, &memory, &heap), BM_SUCCESS);
  EXPECT_EQ(heap, 1u);
}

TEST_F(LargeMemory, WhatCannotBeAllocated) {
  Opened device;
  bm_device_mem_u64_t memory = bm_mem_from_device_u64(7, 8);
  unsigned heap = 0;
  EXPECT_EQ(bm_malloc_device_byte_u64(device, &memory, 0), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0214");
  EXPECT_EQ(bm_malloc_device_byte_u64(device, &memory, 20 * kGiB), BM_ERR_NOMEM);
  EXPECT_EQ(code(), "TW-BML-0202");
  EXPECT_EQ(bm_malloc_device_byte_u64(device, &memory, ~0ull), BM_ERR_NOMEM);
  EXPECT_EQ(bm_malloc_device_dword_u64(device, &memory, 0), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_dword_u64(device, &memory, 1ull << 62), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0214");
  EXPECT_EQ(bm_malloc_neuron_device_u64(device, &memory, 1ull << 32, 1ull << 32, 2, 2),
            BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_neuron_device_u64(device, &memory, 1, 0, 1, 1), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_byte_heap_u64(device, &memory, 3, 64), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0203");
  EXPECT_EQ(bm_malloc_device_byte_heap_mask_u64(device, &memory, 8, 64), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0204");
  EXPECT_EQ(memory.u.device.device_addr, 7u) << "a failed call leaves the descriptor alone";
  EXPECT_EQ(memory.size, 8u);
  EXPECT_EQ(bm_malloc_device_byte_u64(device, nullptr, 64), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_dword_u64(device, nullptr, 64), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_neuron_device_u64(device, nullptr, 1, 1, 1, 1), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_byte_heap_u64(device, nullptr, 0, 64), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_byte_heap_mask_u64(device, nullptr, 1, 64), BM_ERR_PARAM);
  EXPECT_EQ(bm_get_gmem_heap_id_u64(device, nullptr, &heap), BM_ERR_PARAM);
  EXPECT_EQ(bm_get_gmem_heap_id_u64(device, &memory, nullptr), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0001");
}

TEST_F(LargeMemory, FreedOnceByEitherFunction) {
  Opened device;
  bm_device_mem_u64_t memory = allocate(device, 5 * kGiB);
  bm_free_device(device, bm_mem_from_device(memory.u.device.device_addr, 1));
  EXPECT_EQ(tputwin_error_count(), 0u);
  bm_free_device_u64(device, memory);
  EXPECT_EQ(code(), "TW-BML-0205");
  memory.flags.u.mem_type = BM_MEM_TYPE_SYSTEM;
  bm_free_device_u64(device, memory);
  EXPECT_EQ(code(), "TW-BML-0206");
}

TEST_F(LargeMemory, CopiesBeyond4GiB) {
  Opened device;
  const bm_device_mem_u64_t memory = allocate(device, 6 * kGiB);
  Bytes bytes = counting(64), back(64);
  EXPECT_EQ(bm_memcpy_s2d_partial_offset_u64(device, memory, bytes.data(), 64, 5 * kGiB),
            BM_SUCCESS);
  EXPECT_EQ(bm_memcpy_d2s_partial_offset_u64(device, back.data(), memory, 64, 5 * kGiB),
            BM_SUCCESS);
  EXPECT_EQ(back, bytes);
  Bytes low(64, 99);
  EXPECT_EQ(bm_memcpy_s2d_partial_u64(device, memory, low.data(), 64), BM_SUCCESS);
  EXPECT_EQ(bm_memcpy_d2s_partial_u64(device, back.data(), memory, 64), BM_SUCCESS);
  EXPECT_EQ(back, low);
  // a descriptor for a part works like one for a whole allocation
  const auto part = bm_mem_from_device_u64(memory.u.device.device_addr + 5 * kGiB, 64);
  EXPECT_EQ(bm_memcpy_d2s_u64(device, back.data(), part), BM_SUCCESS);
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(bm_memcpy_s2d_u64(device, part, low.data()), BM_SUCCESS);
  EXPECT_EQ(bm_memcpy_d2s_partial_offset_u64(device, back.data(), memory, 64, 5 * kGiB),
            BM_SUCCESS);
  EXPECT_EQ(back, low);
}

TEST_F(LargeMemory, CopiesOutsideAreRefused) {
  Opened device;
  const bm_device_mem_u64_t memory = allocate(device, 6 * kGiB);
  Bytes bytes(64);
  void* data = bytes.data();
  EXPECT_EQ(bm_memcpy_s2d_partial_offset_u64(device, memory, data, 64, 6 * kGiB - 63),
            BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0207");
  EXPECT_EQ(bm_memcpy_d2s_partial_offset_u64(device, data, memory, ~0ull, 64), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0207");
  EXPECT_EQ(bm_memcpy_s2d_partial_u64(device, memory, data, 0), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0201");
  EXPECT_EQ(bm_memcpy_s2d_u64(device, memory, nullptr), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2s_u64(device, nullptr, memory), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0001");
  EXPECT_EQ(bm_memcpy_d2s_partial_u64(device, data, bm_mem_from_device_u64(1, 64), 64),
            BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0208");
  EXPECT_EQ(bm_memcpy_d2s_u64(device, data, bm_mem_from_device_u64(0x100000000, 30 * kGiB)),
            BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0208");
}

TEST_F(LargeMemory, Mapping) {
  Opened device;
  bm_device_mem_u64_t memory = allocate(device, 6 * kGiB);
  for (auto* map : {bm_mem_mmap_device_mem_u64, bm_mem_mmap_device_mem_no_cache_u64}) {
    unsigned long long host = 0, address = 0;
    ASSERT_EQ(map(device, &memory, &host), BM_SUCCESS);
    auto* bytes = reinterpret_cast<uint8_t*>(host);
    bytes[5 * kGiB] = 200;
    EXPECT_EQ(bm_mem_flush_device_mem_u64(device, &memory), BM_SUCCESS);
    EXPECT_EQ(bm_mem_flush_partial_device_mem_u64(device, &memory, 5 * kGiB, 1), BM_SUCCESS);
    EXPECT_EQ(bm_mem_invalidate_device_mem_u64(device, &memory), BM_SUCCESS);
    EXPECT_EQ(bm_mem_invalidate_partial_device_mem_u64(device, &memory, 5 * kGiB, kGiB),
              BM_SUCCESS);
    uint8_t byte = 0;
    EXPECT_EQ(bm_memcpy_d2s_partial_offset_u64(device, &byte, memory, 1, 5 * kGiB), BM_SUCCESS);
    EXPECT_EQ(byte, 200);
    EXPECT_EQ(bm_mem_vir_to_phy(device, host + 5 * kGiB, &address), BM_SUCCESS);
    EXPECT_EQ(address, memory.u.device.device_addr + 5 * kGiB);
    EXPECT_EQ(bm_mem_unmap_device_mem_u64(device, bytes, memory.size), BM_SUCCESS);
    EXPECT_EQ(map(device, nullptr, &host), BM_ERR_PARAM);
    EXPECT_EQ(map(device, &memory, nullptr), BM_ERR_PARAM);
    EXPECT_EQ(code(), "TW-BML-0001");
  }
  EXPECT_EQ(bm_mem_flush_partial_device_mem_u64(device, &memory, 6 * kGiB, 1), BM_ERR_PARAM);
  EXPECT_EQ(bm_mem_invalidate_partial_device_mem_u64(device, &memory, 1, ~0ull), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0207");
  EXPECT_EQ(bm_mem_flush_device_mem_u64(device, nullptr), BM_ERR_PARAM);
  EXPECT_EQ(bm_mem_invalidate_device_mem_u64(device, nullptr), BM_ERR_PARAM);
  EXPECT_EQ(bm_mem_unmap_device_mem_u64(device, &memory, 64), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0213");
}

TEST_F(LargeMemory, TheUncachedMappingOfSmallMemory) {
  Opened device;
  bm_device_mem_t memory = device.hold(counting(64));
  unsigned long long host = 0;
  ASSERT_EQ(bm_mem_mmap_device_mem_no_cache(device, &memory, &host), BM_SUCCESS);
  EXPECT_EQ(reinterpret_cast<uint8_t*>(host)[63], 64);
  EXPECT_EQ(bm_mem_mmap_device_mem_no_cache(device, nullptr, &host), BM_ERR_PARAM);
}

TEST_F(LargeMemory, Descriptors) {
  bm_device_mem_u64_t memory = bm_mem_from_device_u64(0x123456789a, 5 * kGiB);
  EXPECT_EQ(bm_mem_get_device_addr_u64(memory), 0x123456789au);
  EXPECT_EQ(bm_mem_get_device_size_u64(memory), 5 * kGiB);
  bm_mem_set_device_addr_u64(&memory, 5);
  bm_mem_set_device_size_u64(&memory, 6 * kGiB);
  EXPECT_EQ(bm_mem_get_device_addr_u64(memory), 5u);
  EXPECT_EQ(bm_mem_get_device_size_u64(memory), 6 * kGiB);
  bm_set_device_mem_u64(&memory, 7 * kGiB, 9);
  EXPECT_EQ(bm_mem_get_device_addr_u64(memory), 9u);
  EXPECT_EQ(bm_mem_get_device_size_u64(memory), 7 * kGiB);
  bm_system_mem_u64_t host{};
  host.flags.u.mem_type = BM_MEM_TYPE_SYSTEM;
  bm_mem_set_system_addr_u64(&host, &memory);
  EXPECT_EQ(bm_mem_get_type_u64(host), BM_MEM_TYPE_SYSTEM);
  EXPECT_EQ(bm_mem_get_system_addr_u64(host), &memory);
  EXPECT_EQ(tputwin_error_count(), 0u);
  bm_mem_set_device_addr_u64(nullptr, 1);
  bm_mem_set_device_size_u64(nullptr, 1);
  bm_mem_set_system_addr_u64(nullptr, nullptr);
  bm_set_device_mem_u64(nullptr, 1, 1);
  EXPECT_EQ(code(), "TW-BML-0001");
  EXPECT_EQ(tputwin_error_count(), 4u);
}

TEST_F(LargeMemory, HandlesThatAreNotOpen) {
  bm_handle_t closed = nullptr;
  ASSERT_EQ(bm_dev_request(&closed, 0), BM_SUCCESS);
  bm_dev_free(closed);
  bm_device_mem_u64_t memory{};
  unsigned long long host = 0;
  unsigned heap = 0;
  char byte = 0;
  for (bm_handle_t handle : {closed, reinterpret_cast<bm_handle_t>(&byte)}) {
    EXPECT_EQ(bm_malloc_device_byte_u64(handle, &memory, 1), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_malloc_device_dword_u64(handle, &memory, 1), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_malloc_neuron_device_u64(handle, &memory, 1, 1, 1, 1), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_malloc_device_byte_heap_u64(handle, &memory, 0, 1), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_malloc_device_byte_heap_mask_u64(handle, &memory, 1, 1), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_get_gmem_heap_id_u64(handle, &memory, &heap), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_memcpy_s2d_u64(handle, memory, &byte), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_memcpy_s2d_partial_u64(handle, memory, &byte, 1), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_memcpy_s2d_partial_offset_u64(handle, memory, &byte, 1, 0), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_memcpy_d2s_u64(handle, &byte, memory), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_memcpy_d2s_partial_u64(handle, &byte, memory, 1), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_memcpy_d2s_partial_offset_u64(handle, &byte, memory, 1, 0), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_mem_mmap_device_mem_u64(handle, &memory, &host), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_mem_mmap_device_mem_no_cache_u64(handle, &memory, &host), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_mem_unmap_device_mem_u64(handle, &byte, 1), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_mem_flush_device_mem_u64(handle, &memory), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_mem_flush_partial_device_mem_u64(handle, &memory, 0, 1), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_mem_invalidate_device_mem_u64(handle, &memory), BM_ERR_DEVNOTREADY);
    EXPECT_EQ(bm_mem_invalidate_partial_device_mem_u64(handle, &memory, 0, 1), BM_ERR_DEVNOTREADY);
    tputwin_clear_errors();
    bm_free_device_u64(handle, memory);
    EXPECT_EQ(tputwin_error_count(), 1u);
  }
}

}  // namespace
}  // namespace tputwin::testing
