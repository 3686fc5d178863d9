#include "bmlib/support.h"

namespace tputwin::testing {
namespace {

using Memory = Bmlib;

TEST_F(Memory, BlocksAreAlignedAndDisjoint) {
  Opened device;
  bm_device_mem_t a = device.allocate(1), b = device.allocate(5000), c = device.allocate(1);
  EXPECT_EQ(bm_mem_get_device_addr(a), 0x100000000u);
  EXPECT_EQ(bm_mem_get_device_addr(b), 0x100001000u);
  EXPECT_EQ(bm_mem_get_device_addr(c), 0x100003000u);
  EXPECT_EQ(bm_mem_get_device_size(b), 5000u);
  EXPECT_EQ(bm_mem_get_type(b), BM_MEM_TYPE_DEVICE);
  bm_free_device(device, b);
  EXPECT_EQ(bm_mem_get_device_addr(device.allocate(8192)), 0x100001000u);
}

TEST_F(Memory, SizesAtTheLimits) {
  Opened device;
  bm_device_mem_t memory;
  EXPECT_EQ(bm_malloc_device_byte(device, &memory, 0), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0201");
  EXPECT_EQ(bm_malloc_device_byte(device, nullptr, 4), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_byte(device, &memory, 0xffffffff), BM_ERR_NOMEM);
  EXPECT_EQ(bm_malloc_device_dword(device, &memory, 0), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_dword(device, &memory, -1), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_dword(device, &memory, 1 << 30), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_dword(device, &memory, 3), BM_SUCCESS);
  EXPECT_EQ(memory.size, 12u);
  EXPECT_EQ(bm_malloc_neuron_device(device, &memory, 65536, 65536, 65536, 65536), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_neuron_device(device, &memory, 1, -2, -3, 4), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_neuron_device(device, &memory, 2, 3, 4, 5), BM_SUCCESS);
  EXPECT_EQ(memory.size, 480u);
  EXPECT_EQ(bm_malloc_device_byte(device, &memory, 0xfff00000 - 8192), BM_SUCCESS);
  EXPECT_EQ(bm_malloc_device_byte(device, &memory, 1), BM_ERR_NOMEM);
}

TEST_F(Memory, FreedOnceAndOnlyWhatWasAllocated) {
  Opened device;
  bm_device_mem_t memory = device.allocate(64);
  bm_free_device(device, memory);
  EXPECT_EQ(tputwin_error_count(), 0u);
  bm_free_device(device, memory);
  EXPECT_EQ(code(), "TW-BML-0205");
  tputwin_clear_errors();
  memory = device.allocate(64);
  bm_free_device(device, bm_mem_from_device(bm_mem_get_device_addr(memory) + 4, 60));
  EXPECT_EQ(code(), "TW-BML-0205");
  bm_free_device(device, bm_mem_null());
  EXPECT_EQ(code(), "TW-BML-0206");
}

TEST_F(Memory, UseAfterFreeIsCounted) {
  Opened device;
  bm_device_mem_t memory = device.hold(counting(64));
  bm_free_device(device, memory);
  Bytes bytes(64);
  EXPECT_EQ(bm_memcpy_d2s(device, bytes.data(), memory), BM_SUCCESS);
  EXPECT_EQ(tputwin_error_count(), 0u);
  EXPECT_EQ(tputwin_warning_count(), 1u);
  EXPECT_THAT(tputwin_warning(0, nullptr), ::testing::HasSubstr("TW-BML-0209 bm_memcpy_d2s: src"));
}

TEST_F(Memory, Heaps) {
  Opened device;
  unsigned count = 0, heap = 9;
  ASSERT_EQ(bm_get_gmem_total_heap_num(device, &count), BM_SUCCESS);
  EXPECT_EQ(count, 3u);
  bm_device_mem_t memory;
  for (int id = 0; id < 3; ++id) {
    ASSERT_EQ(bm_malloc_device_byte_heap(device, &memory, id, 5000), BM_SUCCESS);
    ASSERT_EQ(bm_get_gmem_heap_id(device, &memory, &heap), BM_SUCCESS);
    EXPECT_EQ(heap, static_cast<unsigned>(id));
  }
  ASSERT_EQ(bm_malloc_device_byte_heap_mask(device, &memory, 6, 64), BM_SUCCESS);
  ASSERT_EQ(bm_get_gmem_heap_id(device, &memory, &heap), BM_SUCCESS);
  EXPECT_EQ(heap, 1u);
  bm_heap_stat_byte_t stat;
  ASSERT_EQ(bm_get_gmem_heap_stat_byte_by_id(device, &stat, 1), BM_SUCCESS);
  EXPECT_EQ(stat.heap_id, 1u);
  EXPECT_EQ(stat.mem_used, 3u * 4096);
  EXPECT_EQ(stat.mem_total - stat.mem_avail, 7u * 4096);
  EXPECT_EQ(stat.mem_start_addr, 0x100000000u);
  EXPECT_EQ(bm_get_gmem_heap_stat_byte_by_id(device, &stat, 3), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_byte_heap(device, &memory, 3, 64), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_byte_heap(device, &memory, -1, 64), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0203");
  EXPECT_EQ(bm_malloc_device_byte_heap_mask(device, &memory, 8, 64), BM_ERR_PARAM);
  EXPECT_EQ(bm_malloc_device_byte_heap_mask(device, &memory, 0, 64), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0204");
  const unsigned long long reserved = bm_gmem_arm_reserved_request(device);
  EXPECT_EQ(reserved, stat.mem_start_addr + stat.mem_total);
  bm_gmem_arm_reserved_release(device);
}

TEST_F(Memory, Descriptors) {
  bm_device_mem_t memory = bm_mem_from_device(0x123456789a, 77);
  EXPECT_EQ(bm_mem_get_type(memory), BM_MEM_TYPE_DEVICE);
  EXPECT_EQ(bm_mem_get_device_addr(memory), 0x123456789au);
  EXPECT_EQ(bm_mem_get_device_size(memory), 77u);
  bm_mem_set_device_addr(&memory, 5);
  bm_mem_set_device_size(&memory, 6);
  EXPECT_EQ(bm_mem_get_device_addr(memory), 5u);
  EXPECT_EQ(bm_mem_get_device_size(memory), 6u);
  bm_set_device_mem(&memory, 8, 9);
  EXPECT_EQ(bm_mem_get_device_addr(memory), 9u);
  EXPECT_EQ(bm_mem_get_device_size(memory), 8u);
  int value = 0;
  bm_system_mem_t host = bm_mem_from_system(&value);
  EXPECT_EQ(bm_mem_get_type(host), BM_MEM_TYPE_SYSTEM);
  EXPECT_EQ(bm_mem_get_system_addr(host), &value);
  bm_mem_set_system_addr(&host, &host);
  EXPECT_EQ(bm_mem_get_system_addr(host), &host);
  EXPECT_EQ(bm_mem_get_type(bm_mem_null()), BM_MEM_TYPE_INVALID);
  bm_mem_set_device_addr(nullptr, 1);
  EXPECT_EQ(code(), "TW-BML-0001");
  EXPECT_EQ(sizeof(bm_mem_flags_t), 4u);
}

TEST_F(Memory, Mapping) {
  Opened device;
  bm_device_mem_t memory = device.hold(counting(64));
  unsigned long long host = 0, address = 0;
  ASSERT_EQ(bm_mem_mmap_device_mem(device, &memory, &host), BM_SUCCESS);
  auto* bytes = reinterpret_cast<uint8_t*>(host);
  EXPECT_EQ(bytes[63], 64);
  bytes[0] = 200;
  ASSERT_EQ(bm_mem_flush_device_mem(device, &memory), BM_SUCCESS);
  EXPECT_EQ(device.read(memory)[0], 200);
  ASSERT_EQ(bm_mem_vir_to_phy(device, host + 3, &address), BM_SUCCESS);
  EXPECT_EQ(address, bm_mem_get_device_addr(memory) + 3);
  EXPECT_EQ(bm_mem_invalidate_device_mem(device, &memory), BM_SUCCESS);
  EXPECT_EQ(bm_mem_flush_partial_device_mem(device, &memory, 60, 4), BM_SUCCESS);
  EXPECT_EQ(bm_mem_invalidate_partial_device_mem(device, &memory, 61, 4), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0207");
  EXPECT_EQ(bm_mem_unmap_device_mem(device, bytes, 64), BM_SUCCESS);
  EXPECT_EQ(bm_mem_unmap_device_mem(device, &memory, 64), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0213");
  EXPECT_EQ(bm_mem_mmap_device_mem(device, nullptr, &host), BM_ERR_PARAM);
}

TEST_F(Memory, ConvertedFromTheHost) {
  Opened device;
  Bytes bytes = counting(480);
  bm_system_mem_t host = bm_mem_from_system(bytes.data());
  bm_device_mem_t memory;
  ASSERT_EQ(bm_mem_convert_system_to_device_neuron(device, &memory, host, true, 2, 3, 4, 5),
            BM_SUCCESS);
  EXPECT_EQ(device.read(memory), bytes);
  ASSERT_EQ(bm_mem_convert_system_to_device_neuron_byte(device, &memory, host, true, 1, 1, 2, 5),
            BM_SUCCESS);
  EXPECT_EQ(device.read(memory), counting(10));
  ASSERT_EQ(bm_mem_convert_system_to_device_coeff(device, &memory, host, true, 3), BM_SUCCESS);
  EXPECT_EQ(device.read(memory), counting(12));
  ASSERT_EQ(bm_mem_convert_system_to_device_coeff_byte(device, &memory, bm_mem_null(), false, 3),
            BM_SUCCESS);
  EXPECT_EQ(memory.size, 3u);
  EXPECT_EQ(bm_mem_convert_system_to_device_coeff(device, &memory, memory, true, 3), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0206");
}

}  // namespace
}  // namespace tputwin::testing
