// A BM1684 opened through bmlib, kernels made from any code, and the tested part of its memory.
#pragma once

#include <bmlib_runtime.h>
#include <okk.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace tputwin::okktest {

constexpr int kNpus = 64;
constexpr uint32_t kSpan = 16 * 1024;     // bytes of every NPU's local memory under test
constexpr uint32_t kSystem = 128 * 1024;  // bytes of global memory under test

// The bytes under test: kSpan of every NPU, then kSystem of global memory.
class Image {
 public:
  Image() : bytes_(size_t{kNpus} * kSpan + kSystem) {}
  uint8_t* data() { return bytes_.data(); }
  const uint8_t* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  static size_t lane(int npu) { return size_t(npu) * kSpan; }
  static size_t system() { return size_t{kNpus} * kSpan; }
  bool operator==(const Image&) const = default;

 private:
  std::vector<uint8_t> bytes_;
};

// The process's device, opened at first use.
class Machine {
 public:
  static Machine& get();
  ~Machine();

  bm_handle_t handle() const { return handle_; }
  // Launches `code` as a kernel, after okk_initialize.
  bm_status_t run(const std::function<void()>& code);
  // Launches `code` on the image, then reads the image back.
  bm_status_t run_on(Image& image, const std::function<void()>& code);
  // Returns the address of the global memory under test.
  system_addr_t system_address() const { return bm_mem_get_device_addr(system_); }

 private:
  Machine();
  bm_handle_t handle_ = nullptr;
  bm_device_mem_t system_{};
};

}  // namespace tputwin::okktest
