#include <assert.h>
#include <vector>
#include "bmlib_runtime.h"

struct __attribute__((packed)) Args {
  unsigned long long in, out;
  int rows, cols;
  float factor;
};

int main() {
  bm_handle_t handle;
  bm_device_mem_t in, out;
  std::vector<float> data(70 * 33), result(data.size());
  for (size_t i = 0; i < data.size(); ++i) data[i] = 0.5f * i;
  const unsigned bytes = data.size() * sizeof(float);
  assert(bm_dev_request(&handle, 0) == BM_SUCCESS);
  assert(okkernel_load_firmware(handle, "firmware_tcm.bin", "firmware_ddr.bin") == BM_SUCCESS);
  assert(bm_malloc_device_byte(handle, &in, bytes) == BM_SUCCESS);
  assert(bm_malloc_device_byte(handle, &out, bytes) == BM_SUCCESS);
  assert(bm_memcpy_s2d(handle, in, data.data()) == BM_SUCCESS);
  Args args = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out), 70, 33, 3.0f};
  assert(okkernel_launch_sync(handle, "scale", &args, sizeof(args)) == BM_SUCCESS);
  assert(bm_memcpy_d2s(handle, result.data(), out) == BM_SUCCESS);
  bool good = true;
  for (size_t i = 0; i < data.size(); ++i) good = good && result[i] == 3.0f * data[i];
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return good ? 0 : 1;
}
