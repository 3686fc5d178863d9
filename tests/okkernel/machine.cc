#include "okkernel/machine.h"

#include <cstdlib>
#include <cstring>

namespace tputwin::okktest {

// Arguments from the host to the kernel: in simulation both are in one process.
struct __attribute__((packed)) CodeArguments {
  const std::function<void()>* code;
};

extern "C" void okktest_run_code(const void* args) {
  CodeArguments arguments;
  std::memcpy(&arguments, args, sizeof arguments);
  okk_initialize();
  (*arguments.code)();
}
OKKERNEL_FUNC_REGISTER(okktest_run_code)

Machine& Machine::get() {
  static Machine machine;
  return machine;
}

Machine::Machine() {
  if (bm_dev_request(&handle_, 0) != BM_SUCCESS ||
      bm_malloc_device_byte(handle_, &system_, kSystem) != BM_SUCCESS)
    std::abort();
}

Machine::~Machine() {
  bm_free_device(handle_, system_);
  bm_dev_free(handle_);
}

bm_status_t Machine::run(const std::function<void()>& code) {
  const CodeArguments arguments{&code};
  return okkernel_launch_sync(handle_, "okktest_run_code", &arguments, sizeof arguments);
}

// Copies the image in and out through the controller's pointers, so that tests do not depend on a
// copy function.
bm_status_t Machine::run_on(Image& image, const std::function<void()>& code) {
  return run([&] {
    okk_poll();
    for (int npu = 0; npu < kNpus; npu++)
      std::memcpy(okk_local_mem_addr(npu, 0), image.data() + Image::lane(npu), kSpan);
    std::memcpy(okk_global_mem_addr(system_address()), image.data() + Image::system(), kSystem);
    code();
    okk_poll();
    for (int npu = 0; npu < kNpus; npu++)
      std::memcpy(image.data() + Image::lane(npu), okk_local_mem_addr(npu, 0), kSpan);
    std::memcpy(image.data() + Image::system(), okk_global_mem_addr(system_address()), kSystem);
  });
}

}  // namespace tputwin::okktest
