#include <map>

#include "bmruntime/support.h"

namespace tputwin::test {
namespace {

bmshape_t tensor_shape(int n, int c, int h, int w, bmfmt_t fmt) {
  bmshape_t shape = BM_TENSOR_WITH_FMT(n, c, h, w, fmt);
  return shape;
}

TEST(Memory, FirstBlocksAreAtTheDocumentedAddresses) {
  Runtime runtime;
  bmmem_device_t a = bmmem_device_alloc_raw(runtime.ctx, 1);
  bmmem_device_t b = bmmem_device_alloc_raw(runtime.ctx, 4097);
  bmmem_device_t c = bmmem_device_alloc_raw(runtime.ctx, 1);
  EXPECT_EQ(bmmem_device_addr(runtime.ctx, a), 0x2800000u);
  EXPECT_EQ(bmmem_device_addr(runtime.ctx, b), 0x2801000u);
  EXPECT_EQ(bmmem_device_addr(runtime.ctx, c), 0x2803000u);
  EXPECT_EQ(bmmem_device_size(runtime.ctx, b), 4097u);
}

TEST(Memory, FreedSpaceIsMergedAndUsedAgain) {
  Runtime runtime;
  std::vector<bmmem_device_t> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(bmmem_device_alloc_raw(runtime.ctx, 4096));
  for (int i : {0, 2, 1}) bmmem_device_free(runtime.ctx, blocks[static_cast<size_t>(i)]);
  EXPECT_EQ(bmmem_device_addr(runtime.ctx, bmmem_device_alloc_raw(runtime.ctx, 3 * 4096)),
            0x2800000u);
}

TEST(Memory, NullWhenFull) {
  Runtime runtime;
  size_t available = bm_device_get_gmem_size(bm_get_device(runtime.ctx)) - 0x2800000;
  EXPECT_EQ(bmmem_device_alloc_raw(runtime.ctx, available + 1), nullptr);
  EXPECT_EQ(take_error(), kFull);
  EXPECT_EQ(bmmem_device_alloc_raw(runtime.ctx, SIZE_MAX), nullptr);
  EXPECT_EQ(take_error(), kFull);
  bmmem_device_t all = bmmem_device_alloc_raw(runtime.ctx, available);
  EXPECT_NE(all, nullptr);
  EXPECT_EQ(bmmem_device_alloc_raw(runtime.ctx, 1), nullptr);
  bmmem_device_free(runtime.ctx, all);
  EXPECT_NE(bmmem_device_alloc_raw(runtime.ctx, 1), nullptr);
  take_error();
  EXPECT_EQ(bmmem_device_alloc_raw(runtime.ctx, 0), nullptr);
  EXPECT_EQ(take_error(), kSize);
}

// Blocks never overlap and keep their bytes, with any frees in between.
TEST(Memory, RandomAllocationsAreDisjoint) {
  uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Runtime runtime;
  std::map<bmmem_device_t, Bytes> live;
  for (int step = 0; step < 500; ++step) {
    if (live.size() > 20 || (!live.empty() && random() % 3 == 0)) {
      auto it = std::next(live.begin(), static_cast<ptrdiff_t>(random() % live.size()));
      Bytes out(it->second.size());
      ASSERT_EQ(bm_memcpy_d2s(runtime.ctx, out.data(), it->first), BM_SUCCESS);
      ASSERT_EQ(out, it->second);
      bmmem_device_free(runtime.ctx, it->first);
      live.erase(it);
    } else {
      Bytes bytes = random_bytes(1 + random() % 20000, random());
      bmmem_device_t mem = bmmem_device_alloc_raw(runtime.ctx, bytes.size());
      ASSERT_EQ(bmmem_device_addr(runtime.ctx, mem) % 4096, 0u);
      ASSERT_EQ(bm_memcpy_s2d(runtime.ctx, mem, bytes.data()), BM_SUCCESS);
      live.emplace(mem, bytes);
    }
  }
}

TEST(Memory, ShapesGiveSizes) {
  Runtime runtime;
  bmshape_t shapes[] = {BM_TENSOR_FP32(1, 2, 3, 4), BM_TENSOR_INT16(1, 2, 3, 4),
                        BM_TENSOR_INT8(1, 2, 3, 4), BM_MATRIX_FP32(5, 6),
                        BM_MATRIX_INT16(5, 6),      BM_MATRIX_INT8(5, 6)};
  size_t sizes[] = {96, 48, 24, 120, 60, 30};
  for (size_t i = 0; i < 6; ++i) {
    bmmem_device_t mem = bmmem_device_alloc(runtime.ctx, &shapes[i]);
    EXPECT_EQ(bmmem_device_size(runtime.ctx, mem), sizes[i]);
  }
  EXPECT_EQ(BM_FMT_BPP(BM_FMT_FP16), 16);
}

TEST(Memory, BadShapes) {
  Runtime runtime;
  std::vector<bmshape_t> shapes(6, tensor_shape(1, 2, 3, 4, BM_FMT_INT8));
  shapes[0].fmt = BM_FMT_MAX;
  shapes[1].dim_size = 0;
  shapes[2].dim_size = 5;
  shapes[3].dim[2] = 0;
  shapes[4].dim[0] = -1;
  shapes[5] = tensor_shape(INT32_MAX, INT32_MAX, INT32_MAX, 1, BM_FMT_FP32);
  for (bmshape_t& shape : shapes) {
    EXPECT_EQ(bmmem_device_alloc(runtime.ctx, &shape), nullptr);
    EXPECT_EQ(take_error(), kShape);
  }
  EXPECT_EQ(bmmem_device_alloc(runtime.ctx, nullptr), nullptr);
  EXPECT_EQ(take_error(), kNull);
}

TEST(Memory, ViewsAreWindows) {
  Runtime runtime;
  Bytes bytes = random_bytes(1000, 3), out(24);
  bmmem_device_t block = bmmem_device_alloc_raw(runtime.ctx, bytes.size());
  bm_memcpy_s2d(runtime.ctx, block, bytes.data());
  bmshape_t shape = tensor_shape(1, 2, 3, 4, BM_FMT_INT8);
  bmmem_device_t view = bmmem_device_prealloc(runtime.ctx, block, 100, &shape);
  EXPECT_EQ(bmmem_device_addr(runtime.ctx, view), bmmem_device_addr(runtime.ctx, block) + 100);
  EXPECT_EQ(bm_memcpy_d2s(runtime.ctx, out.data(), view), BM_SUCCESS);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), bytes.begin() + 100));
  bmmem_device_t inner = bmmem_device_prealloc_raw(runtime.ctx, view, 4, 20);
  EXPECT_EQ(bmmem_device_addr(runtime.ctx, inner), bmmem_device_addr(runtime.ctx, block) + 104);
  bmmem_device_free(runtime.ctx, view);
  EXPECT_EQ(bmmem_device_size(runtime.ctx, block), 1000u) << "a freed view leaves its block";
  EXPECT_EQ(bmmem_device_size(runtime.ctx, inner), 20u);
  EXPECT_EQ(bmmem_device_prealloc_raw(runtime.ctx, block, 1000, 1), nullptr);
  EXPECT_EQ(take_error(), kRange);
  EXPECT_EQ(bmmem_device_prealloc_raw(runtime.ctx, block, UINT64_MAX, 2), nullptr);
  EXPECT_EQ(take_error(), kRange);
  EXPECT_EQ(bmmem_device_prealloc_raw(runtime.ctx, block, 0, 0), nullptr);
  EXPECT_EQ(take_error(), kSize);
  bmmem_device_free(runtime.ctx, block);
  EXPECT_EQ(bmmem_device_size(runtime.ctx, inner), 0u) << "a freed block ends its views";
  EXPECT_EQ(take_error(), kEnded);
}

TEST(Memory, FreedAndFalseHandlesAreErrors) {
  Runtime runtime;
  bmmem_device_t mem = bmmem_device_alloc_raw(runtime.ctx, 16);
  uint8_t bytes[16] = {};
  bmmem_device_free(runtime.ctx, mem);
  bmmem_device_free(runtime.ctx, mem);
  EXPECT_EQ(take_error(), kEnded) << "double free";
  EXPECT_EQ(bm_memcpy_s2d(runtime.ctx, mem, bytes), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kEnded) << "use after free";
  EXPECT_EQ(bmmem_device_addr(runtime.ctx, mem), 0u);
  EXPECT_EQ(bmmem_device_v_addr(runtime.ctx, mem), nullptr);
  EXPECT_EQ(bmmem_device_prealloc_raw(runtime.ctx, mem, 0, 1), nullptr);
  take_error();
  bmmem_device_free(runtime.ctx, reinterpret_cast<bmmem_device_t>(bytes));
  EXPECT_EQ(take_error(), kUnknown);
  bmmem_device_free(runtime.ctx, nullptr);
  EXPECT_EQ(take_error(), kNull);
  EXPECT_EQ(bmmem_device_size(nullptr, mem), 0u);
  EXPECT_EQ(take_error(), kNull);
}

TEST(Memory, RangesAreChecked) {
  Runtime runtime;
  bmmem_device_t mem = bmmem_device_alloc_raw(runtime.ctx, 16);
  Bytes in = random_bytes(16, 5), out(16);
  EXPECT_EQ(bm_memcpy_s2d_ex(runtime.ctx, mem, in.data(), 4, 12), BM_SUCCESS);
  EXPECT_EQ(bm_memcpy_d2s_ex(runtime.ctx, out.data(), mem, 6, 10), BM_SUCCESS);
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + 10, in.begin() + 2));
  EXPECT_EQ(bm_memcpy_s2d_ex(runtime.ctx, mem, in.data(), 4, 13), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kRange);
  EXPECT_EQ(bm_memcpy_d2s_ex(runtime.ctx, out.data(), mem, UINT64_MAX, 2), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kRange);
  EXPECT_EQ(bm_memcpy_s2d(runtime.ctx, mem, nullptr), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
  EXPECT_EQ(bm_memcpy_d2s(runtime.ctx, nullptr, mem), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
}

TEST(Memory, TheHostSeesDeviceMemory) {
  Runtime runtime;
  bmmem_device_t mem = bmmem_device_alloc_raw(runtime.ctx, 4);
  uint8_t in[4] = {1, 2, 3, 4};
  bm_memcpy_s2d(runtime.ctx, mem, in);
  uint8_t* host = bmmem_device_v_addr(runtime.ctx, mem);
  ASSERT_NE(host, nullptr);
  EXPECT_EQ(host[3], 4);
}

TEST(Memory, WhatTheChipHasNot) {
  Runtime runtime;
  bmshape_t shape = BM_TENSOR_INT8(1, 1, 1, 1);
  uint8_t byte = 0;
  EXPECT_EQ(bmmem_host_alloc(runtime.ctx, &shape), nullptr);
  EXPECT_EQ(bmmem_host_v_addr(runtime.ctx, nullptr), nullptr);
  EXPECT_EQ(bmmem_host_p_addr(runtime.ctx, nullptr), 0u);
  bmmem_host_free(runtime.ctx, nullptr);
  EXPECT_EQ(bmmem_device_tsm_alloc(runtime.ctx, &shape), nullptr);
  EXPECT_EQ(bmmem_device_tsm_alloc_raw(runtime.ctx, 1), nullptr);
  bmmem_device_tsm_free(runtime.ctx, nullptr);
  EXPECT_EQ(take_error(), kNotSupported);
  bmmem_device_t mem = bmmem_device_alloc(runtime.ctx, &shape);
  EXPECT_EQ(bm_memcpy_h2d(runtime.ctx, mem, nullptr, 0), BM_ERR_NOT_SUPPORTED);
  EXPECT_EQ(bm_memcpy_d2h(runtime.ctx, nullptr, mem, 0), BM_ERR_NOT_SUPPORTED);
  EXPECT_EQ(bm_memcpy_s2t(runtime.ctx, mem, &byte), BM_ERR_NOT_SUPPORTED);
  EXPECT_EQ(bm_memcpy_t2s(runtime.ctx, &byte, mem), BM_ERR_NOT_SUPPORTED);
  EXPECT_NE(bm_data_copy_u8(runtime.ctx, 0, 1, 1, 1, 1, 1, 1, 1, 0), 0);
  EXPECT_NE(bm_data_transition(runtime.ctx, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0), 0);
  EXPECT_NE(bmnet_data_copy_u8(runtime.ctx, 0, 1, 1, 1, 1, 1, 1, 1, 0), 0);
  EXPECT_NE(bmnet_data_transition(runtime.ctx, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0), 0);
  EXPECT_EQ(take_error(), kNotSupported);
}

}  // namespace
}  // namespace tputwin::test
