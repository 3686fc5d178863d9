// Adds two 16-bit tensors on the BM1880 and compares the sum with the host's.
//
// The flow of every BMKernel program: open a device, place the operands in its global memory,
// record commands that move them to local memory, compute, move the result back, submit, fetch.
#include <bmkernel/bm1880/bmkernel_1880.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmkernel.h>
#include <stdint.h>
#include <stdio.h>

#include <algorithm>
#include <vector>

// [readme]
// sum = a + b, saturated to 16 bits. Each tensor is a plane of low bytes and a plane of high bytes.
static void add_kernel(bmk1880_context_t* ctx, shape_t shape, u64 a, u64 b, u64 sum) {
  const u64 plane = (u64)shape.n * shape.c * shape.h * shape.w;
  tensor_lmem* a_low = bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);
  tensor_lmem* a_high = bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);
  tensor_lmem* b_low = bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);
  tensor_lmem* b_high = bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);
  bmk1880_gdma_load(ctx, a_low, a, CTRL_NULL);
  bmk1880_gdma_load(ctx, a_high, a + plane, CTRL_NULL);
  bmk1880_gdma_load(ctx, b_low, b, CTRL_NULL);
  bmk1880_gdma_load(ctx, b_high, b + plane, CTRL_NULL);
  bmk1880_add_param_t p = {a_high, a_low, a_high, a_low, b_high, b_low};  // a += b
  bmk1880_tpu_add(ctx, &p);
  bmk1880_gdma_store(ctx, a_low, sum, CTRL_NULL);
  bmk1880_gdma_store(ctx, a_high, sum + plane, CTRL_NULL);
  bmk1880_tl_free(ctx, b_high);  // last in, first out
  bmk1880_tl_free(ctx, b_low);
  bmk1880_tl_free(ctx, a_high);
  bmk1880_tl_free(ctx, a_low);
}
// [readme end]

static std::vector<uint8_t> to_planes(const std::vector<int16_t>& values) {
  std::vector<uint8_t> planes(values.size() * 2);
  for (size_t i = 0; i < values.size(); i++) {
    planes[i] = (uint8_t)(values[i] & 0xff);
    planes[values.size() + i] = (uint8_t)((values[i] >> 8) & 0xff);
  }
  return planes;
}

int main() {
  const int n = 2, c = 40, h = 9, w = 13;
  const size_t count = (size_t)n * c * h * w;
  std::vector<int16_t> a(count), b(count), expected(count);
  for (size_t i = 0; i < count; i++) {
    a[i] = (int16_t)(i * 1103 - 20000);
    b[i] = (int16_t)(i * 7919 + 12345);
    expected[i] = (int16_t)std::min(32767, std::max(-32768, a[i] + b[i]));
  }

  bmctx_t ctx;
  if (bm_init(0, &ctx) != BM_SUCCESS) return 1;
  bmshape_t bytes = BM_TENSOR_INT8(2 * n, c, h, w);
  bmmem_device_t mem_a = bmmem_device_alloc(ctx, &bytes);
  bmmem_device_t mem_b = bmmem_device_alloc(ctx, &bytes);
  bmmem_device_t mem_sum = bmmem_device_alloc(ctx, &bytes);
  bm_memcpy_s2d(ctx, mem_a, to_planes(a).data());
  bm_memcpy_s2d(ctx, mem_b, to_planes(b).data());

  void* kernel = NULL;
  if (bmruntime_bmkernel_create(ctx, &kernel) != BM_SUCCESS) return 1;
  add_kernel((bmk1880_context_t*)kernel, shape_t4(n, c, h, w), bmmem_device_addr(ctx, mem_a),
             bmmem_device_addr(ctx, mem_b), bmmem_device_addr(ctx, mem_sum));
  bmruntime_bmkernel_submit(ctx);
  bmruntime_bmkernel_destroy(ctx);

  std::vector<uint8_t> sum(count * 2);
  bm_memcpy_d2s(ctx, sum.data(), mem_sum);
  bmmem_device_free(ctx, mem_sum);
  bmmem_device_free(ctx, mem_b);
  bmmem_device_free(ctx, mem_a);
  bm_exit(ctx);

  if (sum != to_planes(expected)) {
    printf("tensor_add: the sum differs from the host's\n");
    return 1;
  }
  printf("tensor_add: %zu sums of 16 bits equal the host's\n", count);
  return 0;
}
