// Launches the kernel and compares its results with the host's; returns 0 if all values are right.
#include <bmlib_runtime.h>
#include <tputwin/error.h>

#include <cstdio>
#include <vector>

struct Arguments {
  unsigned long long in, out;
  int count;
  float factor;
} __attribute__((packed));

int main() {
  std::vector<float> in(10000), out(in.size());
  for (std::size_t i = 0; i < in.size(); i++) in[i] = (float)i;
  bm_handle_t device;
  bm_device_mem_t from, to;
  if (bm_dev_request(&device, 0) != BM_SUCCESS) return 1;
  bm_malloc_device_byte(device, &from, 4 * in.size());
  bm_malloc_device_byte(device, &to, 4 * in.size());
  bm_memcpy_s2d(device, from, in.data());
  const Arguments arguments = {bm_mem_get_device_addr(from), bm_mem_get_device_addr(to),
                               (int)in.size(), 3.0f};
  if (okkernel_launch_sync(device, "scale", &arguments, sizeof arguments) != BM_SUCCESS) {
    std::fprintf(stderr, "%s\n", tputwin_last_error());
    return 1;
  }
  bm_memcpy_d2s(device, out.data(), to);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < in.size(); i++) wrong += out[i] != in[i] * 3.0f;
  std::printf("%zu of %zu values are wrong\n", wrong, in.size());
  bm_free_device(device, from);
  bm_free_device(device, to);
  bm_dev_free(device);
  return wrong == 0 ? 0 : 1;
}
