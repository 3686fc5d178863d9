// A context on its own buffer, and tensors by value.
#pragma once

#include <bmkernel/bm1880/bmkernel_1880.h>
#include <bmkernel/bm_cmdbuf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tputwin/error.h>

#include <cstdint>
#include <string>
#include <vector>

class BmKernel : public ::testing::Test {
 protected:
  explicit BmKernel(u32 bytes = 1 << 16) : buffer_(bytes) {
    tputwin_clear_errors();
    bmk1880_info_t info{};
    info.chip_version = 1880;
    info.cmdbuf = buffer_.data();
    info.cmdbuf_size = bytes;
    ctx_ = bmk1880_register(&info);
  }
  ~BmKernel() override { bmk1880_cleanup(ctx_); }

  // A tensor at an address; freed with the context.
  tensor_lmem* at(laddr_t address, shape_t shape, fmt_t fmt = FMT_I8, bool aligned = true) {
    return aligned ? bmk1880_tl_prealloc_align(ctx_, address, shape, fmt)
                   : bmk1880_tl_prealloc(ctx_, address, shape, fmt);
  }
  bmk1880_op_t* relu(tensor_lmem* t) {
    bmk1880_relu_param_t p{};
    p.ofmap = p.ifmap = t;
    return bmk1880_tpu_relu(ctx_, &p);
  }
  std::vector<uint8_t> commands() {
    u32 size = 0;
    u8* data = bmk1880_acquire_cmdbuf(ctx_, &size);
    return {data, data + size};
  }

  std::vector<uint8_t> buffer_;
  bmk1880_context_t* ctx_;
};

// Returns the id of the calling thread's last error, and clears the record.
inline std::string last_code() {
  std::string code = tputwin_last_error_code();
  tputwin_clear_errors();
  return code;
}
