// A device that is open during a test, and short forms of calls that tests use.
#pragma once

#include <bmlib_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <okk.h>
#include <tputwin/error.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace tputwin::testing {

using Bytes = std::vector<uint8_t>;

class Opened {
 public:
  explicit Opened(int id = 0) { EXPECT_EQ(bm_dev_request(&handle_, id), BM_SUCCESS); }
  ~Opened() { bm_dev_free(handle_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  operator bm_handle_t() const { return handle_; }

  bm_device_mem_t allocate(unsigned bytes) const {
    bm_device_mem_t memory{};
    EXPECT_EQ(bm_malloc_device_byte(handle_, &memory, bytes), BM_SUCCESS);
    return memory;
  }
  bm_device_mem_t hold(Bytes bytes) const {
    bm_device_mem_t memory = allocate(static_cast<unsigned>(bytes.size()));
    EXPECT_EQ(bm_memcpy_s2d(handle_, memory, bytes.data()), BM_SUCCESS);
    return memory;
  }
  Bytes read(const bm_device_mem_t& memory) const {
    Bytes bytes(memory.size);
    EXPECT_EQ(bm_memcpy_d2s(handle_, bytes.data(), memory), BM_SUCCESS);
    return bytes;
  }
  // Returns the first 4 bytes as an int32.
  int word(const bm_device_mem_t& memory) const {
    int value = 0;
    std::memcpy(&value, read(memory).data(), sizeof value);
    return value;
  }

 private:
  bm_handle_t handle_ = nullptr;
};

inline Bytes counting(size_t size) {
  Bytes bytes(size);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  return bytes;
}

// Each test starts with an empty record of errors.
class Bmlib : public ::testing::Test {
 protected:
  Bmlib() { tputwin_clear_errors(); }
  static std::string code() { return tputwin_last_error_code(); }
  static std::string message() { return tputwin_last_error(); }
};

}  // namespace tputwin::testing
