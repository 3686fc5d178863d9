#include "bmlib/support.h"

namespace tputwin::testing {
namespace {

using Copies = Bmlib;

Bytes part(const Bytes& bytes, size_t begin, size_t size) {
  return {bytes.begin() + static_cast<ptrdiff_t>(begin),
          bytes.begin() + static_cast<ptrdiff_t>(begin + size)};
}

TEST_F(Copies, PartsOfADescriptor) {
  Opened device;
  bm_device_mem_t memory = device.hold(Bytes(32, 0));
  Bytes source = counting(8), target(8);
  ASSERT_EQ(bm_memcpy_s2d_partial(device, memory, source.data(), 4), BM_SUCCESS);
  ASSERT_EQ(bm_memcpy_s2d_partial_offset(device, memory, source.data(), 8, 24), BM_SUCCESS);
  Bytes expected(32, 0);
  std::copy_n(source.begin(), 4, expected.begin());
  std::copy_n(source.begin(), 8, expected.begin() + 24);
  EXPECT_EQ(device.read(memory), expected);
  ASSERT_EQ(bm_memcpy_d2s_partial(device, target.data(), memory, 8), BM_SUCCESS);
  EXPECT_EQ(target, part(expected, 0, 8));
  ASSERT_EQ(bm_memcpy_d2s_partial_offset(device, target.data(), memory, 8, 20), BM_SUCCESS);
  EXPECT_EQ(target, part(expected, 20, 8));

  EXPECT_EQ(bm_memcpy_s2d_partial_offset(device, memory, source.data(), 8, 25), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2s_partial_offset(device, target.data(), memory, 8, 0xffffffff),
            BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2s_partial(device, target.data(), memory, 33), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0207");
  EXPECT_EQ(bm_memcpy_d2s_partial(device, target.data(), memory, 0), BM_ERR_PARAM);
  EXPECT_EQ(device.read(memory), expected);
}

TEST_F(Copies, ThroughADescriptorOfAPart) {
  Opened device;
  bm_device_mem_t memory = device.hold(counting(32));
  bm_device_mem_t inner = bm_mem_from_device(bm_mem_get_device_addr(memory) + 5, 7);
  EXPECT_EQ(device.read(inner), part(counting(32), 5, 7));
  EXPECT_EQ(tputwin_warning_count(), 0u);
}

TEST_F(Copies, WhatIsNotDeviceMemory) {
  Opened device;
  Bytes bytes(16);
  EXPECT_EQ(bm_memcpy_s2d(device, bm_mem_null(), bytes.data()), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_s2d(device, bm_mem_from_system(bytes.data()), bytes.data()), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0206");
  EXPECT_EQ(bm_memcpy_s2d(device, device.allocate(16), nullptr), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0001");
  for (unsigned long long address : {0x0ull, 0xfffffff8ull, 0x1fffffff8ull, 0xfffffffffffffff8ull})
    EXPECT_EQ(bm_memcpy_d2s(device, bytes.data(), bm_mem_from_device(address, 16)), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0208");
}

TEST_F(Copies, InsideADevice) {
  Opened device;
  bm_device_mem_t from = device.hold(counting(64)), to = device.hold(Bytes(64, 0));
  ASSERT_EQ(bm_memcpy_d2d(device, to, 4, from, 8, 3), BM_SUCCESS);
  EXPECT_EQ(part(device.read(to), 4, 12), part(counting(64), 8, 12));
  EXPECT_EQ(device.read(to)[16], 0);
  ASSERT_EQ(bm_memcpy_d2d_byte(device, to, 1, from, 3, 5), BM_SUCCESS);
  EXPECT_EQ(part(device.read(to), 1, 5), part(counting(64), 3, 5));
  ASSERT_EQ(bm_memcpy_d2d_byte(device, from, 1, from, 0, 63), BM_SUCCESS);  // overlaps
  EXPECT_EQ(part(device.read(from), 1, 63), part(counting(64), 0, 63));
  EXPECT_EQ(bm_memcpy_d2d(device, to, -4, from, 0, 1), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d(device, to, 0, from, 0, -1), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d(device, to, 0, from, 0, 17), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d_byte(device, to, 0, from, SIZE_MAX, 2), BM_ERR_PARAM);
}

TEST_F(Copies, Strided) {
  Opened device;
  bm_device_mem_t from = device.hold(counting(64)), to = device.hold(Bytes(64, 0));
  for (int size : {1, 2, 4}) {
    const auto unit = static_cast<size_t>(size);
    ASSERT_EQ(bm_memcpy_d2d_stride(device, to, 1, from, 3, 5, size), BM_SUCCESS);
    const Bytes result = device.read(to);
    for (size_t i = 0; i < 5; ++i)
      EXPECT_EQ(part(result, i * unit, unit), part(counting(64), 3 * i * unit, unit));
  }
  ASSERT_EQ(bm_memset_device(device, 0, to), BM_SUCCESS);
  ASSERT_EQ(bm_memcpy_d2d_stride(device, to, 4, from, 1, 16, 1), BM_SUCCESS);
  const Bytes spread = device.read(to);
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(spread[i], i % 4 == 0 ? i / 4 + 1 : 0);

  for (auto [dst, src, size] : {std::array{2, 1, 1}, {4, 2, 1}, {4, 1, 2}, {1, 0, 1}, {1, 1, 3}})
    EXPECT_EQ(bm_memcpy_d2d_stride(device, to, dst, from, src, 4, size), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0210");
  EXPECT_EQ(bm_memcpy_d2d_stride(device, to, 1, from, 1, 0, 4), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d_stride(device, to, 4, from, 1, 17, 1), BM_ERR_PARAM);
  EXPECT_EQ(bm_memcpy_d2d_stride(device, to, 1, from, 0x7fffffff, 0x7fffffff, 4), BM_ERR_PARAM);
}

TEST_F(Copies, Fill) {
  Opened device;
  bm_device_mem_t memory = device.allocate(24);
  ASSERT_EQ(bm_memset_device(device, 0x04030201, memory), BM_SUCCESS);
  for (size_t i = 0; i < 24; ++i) EXPECT_EQ(device.read(memory)[i], i % 4 + 1);
  Bytes value = counting(4);
  for (int mode = 1; mode <= 4; ++mode) {
    ASSERT_EQ(bm_memset_device_ext(device, value.data(), mode, memory), BM_SUCCESS);
    const Bytes filled = device.read(memory);
    for (size_t i = 0; i < 24; ++i) EXPECT_EQ(filled[i], i % static_cast<size_t>(mode) + 1);
  }
  EXPECT_EQ(bm_memset_device_ext(device, value.data(), 0, memory), BM_ERR_PARAM);
  EXPECT_EQ(bm_memset_device_ext(device, value.data(), 5, memory), BM_ERR_PARAM);
  EXPECT_EQ(bm_memset_device_ext(device, nullptr, 1, memory), BM_ERR_PARAM);
  bm_mem_set_device_size(&memory, 23);
  EXPECT_EQ(bm_memset_device(device, 0, memory), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0211");
}

TEST_F(Copies, BetweenHandlesNeedOneSize) {
  Opened first, second;
  bm_device_mem_t from = first.hold(counting(8)), to = second.allocate(16);
  EXPECT_EQ(bm_memcpy_c2c(first, second, from, to, false), BM_ERR_PARAM);
  EXPECT_EQ(code(), "TW-BML-0212");
  bm_mem_set_device_size(&to, 8);
  EXPECT_EQ(bm_memcpy_c2c(first, second, from, to, false), BM_SUCCESS);
  EXPECT_EQ(second.read(to), counting(8));
}

}  // namespace
}  // namespace tputwin::testing
