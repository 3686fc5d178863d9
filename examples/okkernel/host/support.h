// Shared by the host programs: a device, memory on it, and launches that print errors.
#ifndef SUPPORT_H
#define SUPPORT_H

#include <bmlib_runtime.h>
#include <tputwin/error.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  std::fprintf(stderr, "%s failed with status %d: %s\n", what, (int)status, tputwin_last_error());
  std::exit(1);
}

class Device {
 public:
  Device() { check(bm_dev_request(&handle_, 0), "bm_dev_request"); }
  ~Device() { bm_dev_free(handle_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  bm_handle_t handle() const { return handle_; }

  // Runs a kernel by its name; returns the seconds it took on this host.
  template <class Arguments>
  double run(const char* kernel, const Arguments& arguments) {
    typedef std::chrono::steady_clock Clock;
    const Clock::time_point start = Clock::now();
    check(okkernel_launch_sync(handle_, kernel, &arguments, sizeof arguments), kernel);
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

 private:
  bm_handle_t handle_;
};

// fp32 numbers in the device's memory.
class Buffer {
 public:
  Buffer(Device& device, std::size_t count) : device_(device), count_(count) {
    check(bm_malloc_device_byte(device.handle(), &memory_, (unsigned)(count * sizeof(float))),
          "bm_malloc_device_byte");
  }
  Buffer(Device& device, const std::vector<float>& values) : Buffer(device, values.size()) {
    // bmlib takes no pointer to const
    check(bm_memcpy_s2d(device.handle(), memory_, const_cast<float*>(values.data())),
          "bm_memcpy_s2d");
  }
  ~Buffer() { bm_free_device(device_.handle(), memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  unsigned long long address() const { return bm_mem_get_device_addr(memory_); }
  std::vector<float> read() const {
    std::vector<float> values(count_);
    check(bm_memcpy_d2s(device_.handle(), values.data(), memory_), "bm_memcpy_d2s");
    return values;
  }

 private:
  Device& device_;
  std::size_t count_;
  bm_device_mem_t memory_;
};

// Small whole numbers, so that sums are exact in any order.
inline std::vector<float> whole_numbers(std::size_t count, unsigned seed) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)((int)(seed >> 28) - 8);
  }
  return values;
}

#endif
