/* A host that calls no tpu_ function, and so refers to no symbol of libtpukernel: HOST MODULE. */
#include <bmlib_runtime.h>
#include <stdio.h>

typedef struct {
  unsigned long long address;
  int value;
} __attribute__((packed)) write_args;

int main(int count, char** words) {
  bm_handle_t device;
  bm_device_mem_t memory;
  tpu_kernel_module_t module;
  write_args args = {0, 42};
  int result = 0;
  if (count != 2 || bm_dev_request(&device, 0) != BM_SUCCESS) return 2;
  module = tpu_kernel_load_module_file(device, words[1]);
  if (module == NULL) return 3;
  if (bm_malloc_device_byte(device, &memory, sizeof result) != BM_SUCCESS) return 4;
  args.address = bm_mem_get_device_addr(memory);
  if (tpu_kernel_launch(device, tpu_kernel_get_function(device, module, "write_number"), &args,
                        sizeof args) != BM_SUCCESS)
    return 5;
  if (bm_memcpy_d2s(device, &result, memory) != BM_SUCCESS) return 6;
  bm_free_device(device, memory);
  tpu_kernel_free_module(device, module);
  bm_dev_free(device);
  printf("%d\n", result);
  return result == 42 ? 0 : 7;
}
