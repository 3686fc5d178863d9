// Utilities for whole command buffers, and the device form.
#include <algorithm>
#include <cstring>

#include "fixture.h"

namespace {

class Cmdbuf : public BmKernel {};

TEST_F(Cmdbuf, DescriptorsAreCounted) {
  tensor_lmem* t = at(0, shape_t4(1, 4, 4, 4));
  relu(t);
  bmk1880_gdma_store(ctx_, t, 0, CTRL_NULL);
  bmk1880_gdma_load(ctx_, t, 0, CTRL_NULL);
  std::vector<uint8_t> all = commands();
  u32 bd = 9, gdma = 9;
  bm_cmdbuf_get_descnum(all.data(), all.size(), &bd, &gdma);
  EXPECT_EQ(bd, 1u);
  EXPECT_EQ(gdma, 2u);
}

TEST_F(Cmdbuf, RelocationMovesFlaggedAddressesOnce) {
  tensor_lmem* t = at(0, shape_t4(1, 4, 4, 4));
  bmk1880_gdma_load(ctx_, t, 0x10, CTRL_WEIGHT);
  bmk1880_gdma_store(ctx_, t, 0x20, CTRL_NEURON);
  bmk1880_gdma_store(ctx_, t, 0x30, CTRL_NULL);
  std::vector<uint8_t> flagged = commands();
  bmk1880_reset(ctx_);
  bmk1880_gdma_load(ctx_, t, 0x2010, CTRL_NULL);
  bmk1880_gdma_store(ctx_, t, 0x1020, CTRL_NULL);
  bmk1880_gdma_store(ctx_, t, 0x30, CTRL_NULL);
  std::vector<uint8_t> plain = commands();
  bm_cmdbuf_relocate(1880, flagged.data(), flagged.size(), 0x1000, 0x2000);
  EXPECT_EQ(flagged, plain);
  bm_cmdbuf_relocate(1880, flagged.data(), flagged.size(), 0x1000, 0x2000);
  EXPECT_EQ(flagged, plain);
}

TEST_F(Cmdbuf, TheDeviceFormIsCountedRelocatedAndPrinted) {
  tensor_lmem* t = at(0, shape_t4(1, 4, 4, 4));
  bmk1880_gdma_load(ctx_, t, 0, CTRL_NULL);
  relu(t);
  std::vector<uint8_t> all = commands();
  size_t size = 0;
  ASSERT_EQ(bmk1880_dmabuf_size(all.data(), all.size(), &size), u32{BM_SUCCESS});
  std::vector<uint8_t> image(size), moved;
  ASSERT_EQ(bmk1880_dmabuf_convert(all.data(), all.size(), image.data()), u32{BM_SUCCESS});
  dma_hdr_t header;
  std::memcpy(&header, image.data(), sizeof header);
  EXPECT_EQ(header.dmabuf_size, size);
  EXPECT_EQ(header.cpu_desc_count + header.bd_desc_count + header.gdma_desc_count, 3u);
  moved = image;
  EXPECT_EQ(bmk1880_dmabuf_relocate(moved.data(), 0x2800000), u32{BM_SUCCESS});
  EXPECT_NE(moved, image);
  ::testing::internal::CaptureStdout();
  bmk1880_dmabuf_dump(moved.data());
  bm_cmdbuf_dump(all.data(), all.size());
  std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_GE(std::count(printed.begin(), printed.end(), '\n'), 4);
}

TEST_F(Cmdbuf, BuffersThatDoNotParseAreErrors) {
  relu(at(0, shape_t4(1, 4, 4, 4)));
  std::vector<uint8_t> cut = commands();
  cut.resize(cut.size() - 1);
  size_t size = 5;
  EXPECT_EQ(bmk1880_dmabuf_size(cut.data(), cut.size(), &size), u32{BM_ERR_DATA});
  EXPECT_EQ(size, 0u);
  u32 bd = 9, gdma = 9;
  bm_cmdbuf_get_descnum(cut.data(), cut.size(), &bd, &gdma);
  EXPECT_EQ(bd + gdma, 0u);
  EXPECT_EQ(tputwin_error_count(), 2u);
  EXPECT_EQ(last_code().substr(0, 7), "TW-ISA-");
  std::vector<uint8_t> zeros(4096);
  EXPECT_NE(bmk1880_dmabuf_relocate(zeros.data(), 0), u32{BM_SUCCESS});
  EXPECT_EQ(bmk1880_dmabuf_size(nullptr, 0, &size), u32{BM_ERR_INVALID_ARGUMENT});
  bm_cmdbuf_relocate(1684, cut.data(), cut.size(), 0, 0);
  EXPECT_EQ(last_code(), "TW-BMK-0003");
}

}  // namespace
