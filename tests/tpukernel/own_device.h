// A BM1684X driven by the session of the test's thread, and tensors in its lanes.
#pragma once

#include <tpu_kernel.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "machine/device.h"
#include "sdk/okkernel/session.h"

namespace tputwin::tputest {

class OwnDevice {
 public:
  explicit OwnDevice(KernelChoice kernel_choice = KernelChoice::automatic)
      : OwnDevice(kernel_choice, Schedule::program, /*seed=*/1) {}
  // Uses schedules that bmlib does not use.
  explicit OwnDevice(Schedule schedule, uint64_t seed = 1)
      : OwnDevice(KernelChoice::automatic, schedule, seed) {}

  float* floats() { return reinterpret_cast<float*>(device_->memories().take_global().data()); }
  uint8_t* global(size_t offset = 0) { return device_->memories().take_global().data() + offset; }
  Device& device() { return *device_; }

  // Returns the number of warnings with this id.
  uint64_t warned(std::string_view code) {
    uint64_t count = 0;
    for (const WarningCount& w : device_->errors().diagnostics().warnings())
      if (w.sample.message().find(code) != std::string::npos) count += w.count;
    return count;
  }
  // Returns the message of the first error, or "".
  std::string error() { return device_->error().ok() ? "" : device_->error().message(); }

 private:
  OwnDevice(KernelChoice kernel_choice, Schedule schedule, uint64_t seed)
      : device_(std::move(Device::create({.chip = &bm1684x(),
                                          .global_bytes = 1 << 20,
                                          .kernel_choice = kernel_choice,
                                          .schedule = schedule,
                                          .seed = seed,
                                          .strict = false})
                              .value())),
        session_(*device_),
        scope_(session_) {}

  std::unique_ptr<Device> device_;
  okk::Session session_;
  okk::ScopedSession scope_;
};

inline constexpr system_addr_t kGlobalStart = 0x1'0000'0000;
inline constexpr int kNpus = 64;
inline constexpr uint32_t kNpuBytes = 256 * 1024;

inline int bytes_of(data_type_t type) { return tpu_data_type_size(type); }

// Copies elements of a tensor in index order, as bits, to and from the 64-byte aligned layout from
// NPU 0.
class Lanes {
 public:
  Lanes(OwnDevice& own, local_addr_t at, const dim4& shape, data_type_t type)
      : own_(own), at_(at), shape_(shape), bytes_(bytes_of(type)) {}

  void put(const std::vector<uint32_t>& bits) {
    size_t i = 0;
    each([&](uint8_t* p) { std::memcpy(p, &bits[i++ % bits.size()], bytes_); });
  }
  std::vector<uint32_t> get() {
    std::vector<uint32_t> bits;
    each([&](const uint8_t* p) { std::memcpy(&bits.emplace_back(0), p, bytes_); });
    return bits;
  }

 private:
  template <class F>
  void each(F&& f) {
    const auto plane = static_cast<size_t>((shape_.h * shape_.w * bytes_ + 63) / 64 * 64);
    const size_t batch = plane * ((shape_.c + kNpus - 1) / kNpus);
    for (int n = 0; n < shape_.n; ++n)
      for (int c = 0; c < shape_.c; ++c)
        for (int i = 0; i < shape_.h * shape_.w; ++i)
          f(own_.device().memories().take_local().lane(static_cast<uint32_t>(c % kNpus)) + at_ +
            n * batch + c / kNpus * plane + static_cast<size_t>(i) * bytes_);
  }

  OwnDevice& own_;
  local_addr_t at_;
  dim4 shape_;
  size_t bytes_;
};

}  // namespace tputwin::tputest
