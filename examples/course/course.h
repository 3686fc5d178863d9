/* The host part of every lesson: a device, two inputs, one output, and the comparison with the
 * expected values. A lesson is one C file with its kernel and its main(). Real projects keep them
 * in device/ and host/. */
#ifndef COURSE_H
#define COURSE_H

#include <bmlib_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <tputwin/error.h>

/* The launch of TPUKernel kernels, or of OKKernel kernels: by the header that came before. */
#ifdef TPUKERNEL_FUNC_REGISTER
#define LAUNCH tpu_kernel_launch_sync
#else
#define LAUNCH okkernel_launch_sync
#endif

/* Arguments of the kernels: device addresses, and the extents of the tensor. */
typedef struct {
  unsigned long long a, b, out;
  int n, c, h, w;
} lesson_args_t;

static inline void must(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, tputwin_last_error());
  exit(1);
}

/* Returns 0, 1, 2, ... modulo 1000, so that sums of a few are exact. */
static inline float* numbers(int count) {
  float* values = (float*)malloc(sizeof(float) * (size_t)count);
  for (int i = 0; i < count; i++) values[i] = (float)(i % 1000);
  return values;
}

/* Launches the kernel on a and b (count_b may be 0); returns its output. */
static inline float* launch(const char* kernel, float* a, int count_a, float* b, int count_b,
                            int count_out, int n, int c, int h, int w) {
  bm_handle_t device;
  bm_device_mem_t memory[3];
  const int counts[3] = {count_a, count_b > 0 ? count_b : 1, count_out};
  float* out = (float*)malloc(sizeof(float) * (size_t)count_out);
  lesson_args_t args = {0, 0, 0, n, c, h, w};
  must(bm_dev_request(&device, 0), "bm_dev_request");
  for (int i = 0; i < 3; i++)
    must(bm_malloc_device_byte(device, &memory[i], 4u * (unsigned)counts[i]),
         "bm_malloc_device_byte");
  must(bm_memcpy_s2d(device, memory[0], a), "bm_memcpy_s2d");
  if (count_b > 0) must(bm_memcpy_s2d(device, memory[1], b), "bm_memcpy_s2d");
  args.a = bm_mem_get_device_addr(memory[0]);
  args.b = bm_mem_get_device_addr(memory[1]);
  args.out = bm_mem_get_device_addr(memory[2]);
  must(LAUNCH(device, kernel, &args, sizeof args), kernel);
  must(bm_memcpy_d2s(device, out, memory[2]), "bm_memcpy_d2s");
  for (int i = 0; i < 3; i++) bm_free_device(device, memory[i]);
  bm_dev_free(device);
  return out;
}

/* Compares the output; returns the exit code of the lesson. */
static inline int finish(const char* lesson, const float* out, const float* expected, int count) {
  int wrong = 0;
  for (int i = 0; i < count; i++) {
    if (out[i] == expected[i]) continue;
    if (wrong++ == 0) printf("%s: element %d is %g, expected %g\n", lesson, i, out[i], expected[i]);
  }
  printf("%s: %d of %d values right\n", lesson, count - wrong, count);
  return wrong == 0 ? 0 : 1;
}

#endif
