// Helpers of the checks of lifted kernels: device memory, and kernels built from C files.
#pragma once

#include <bmlib_runtime.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tputwin::recorded {

// A block of device memory for one run.
class Memory {
 public:
  Memory(bm_handle_t device, uint64_t bytes) : device_(device) {
    ok_ = bm_malloc_device_byte(device, &memory_, static_cast<unsigned>(bytes)) == BM_SUCCESS;
  }
  ~Memory() {
    if (ok_) bm_free_device(device_, memory_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  uint64_t address() const { return bm_mem_get_device_addr(memory_); }
  bool write(const void* bytes, size_t size, uint64_t offset) {
    return bm_memcpy_s2d_partial_offset(device_, memory_, const_cast<void*>(bytes),
                                        static_cast<unsigned>(size),
                                        static_cast<unsigned>(offset)) == BM_SUCCESS;
  }
  bool read(void* bytes, size_t size, uint64_t offset) {
    return bm_memcpy_d2s_partial_offset(device_, bytes, memory_, static_cast<unsigned>(size),
                                        static_cast<unsigned>(offset)) == BM_SUCCESS;
  }

 private:
  bm_handle_t device_;
  bm_device_mem_t memory_{};
  bool ok_;
};

// Compiles the C files of a folder (" a.c b.c") to a library there, at the compiler's lowest
// optimization level, and loads it, which registers its kernels. Returns the error; "" if none.
inline std::string load_kernels(const std::filesystem::path& folder, const std::string& library,
                                const std::string& sources) {
  const std::string compile = fmt::format(
      "cd {} && {} -std=c99 -O0 -w -DUSING_CMODEL -shared -fPIC -I{} -o {}{}", folder.string(),
      TPUTWIN_C_COMPILER, TPUTWIN_SOURCE_DIR "/include", library, sources);
  if (!sources.empty() && std::system(compile.c_str()) != 0) return "does not compile";
  return dlopen((folder / library).c_str(), RTLD_NOW) == nullptr ? dlerror() : "";
}

}  // namespace tputwin::recorded
