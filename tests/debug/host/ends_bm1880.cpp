// A command buffer of the BM1880, and an end of the program that exit() does not see. Arguments:
// "ok" or "refused" (its first command), and how to end.
#include <bmkernel/bm1880/bmkernel_1880.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmkernel.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vector>

static void scale(bmk1880_context_t* ctx, u64 address, bool is_refused) {
  tensor_lmem* low = bmk1880_tl_alloc(ctx, shape_t4(1, 2, 8, 8), FMT_I8, CTRL_AL);
  tensor_lmem* high = bmk1880_tl_alloc(ctx, shape_t4(1, 2, 8, 8), FMT_I8, CTRL_AL);
  tensor_lmem* other = bmk1880_tl_alloc(ctx, shape_t4(1, 2, 4, 4), FMT_I8, CTRL_AL);
  bmk1880_add_param_t p = {high, low, high, low, high, is_refused ? other : low};
  if (is_refused) return bmk1880_tpu_add(ctx, &p), void();
  bmk1880_gdma_load(ctx, low, address, CTRL_NULL);
  bmk1880_gdma_load(ctx, high, address + 128, CTRL_NULL);
  bmk1880_tpu_add(ctx, &p);
  bmk1880_gdma_store(ctx, low, address, CTRL_NULL);
}

static int end(const char* how) {
  if (strcmp(how, "_exit") == 0) _exit(3);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "SIGTERM") == 0) raise(SIGTERM);
  return 0;
}

int main(int count, char** words) {
  bmctx_t ctx;
  if (count != 3 || bm_init(0, &ctx) != BM_SUCCESS) return 2;
  bmshape_t bytes = BM_TENSOR_INT8(2, 2, 8, 8);
  bmmem_device_t memory = bmmem_device_alloc(ctx, &bytes);
  std::vector<uint8_t> values(256, 1);
  bm_memcpy_s2d(ctx, memory, values.data());
  void* kernel = NULL;
  if (bmruntime_bmkernel_create(ctx, &kernel) != BM_SUCCESS) return 2;
  scale((bmk1880_context_t*)kernel, bmmem_device_addr(ctx, memory),
        strcmp(words[1], "refused") == 0);
  bmruntime_bmkernel_submit(ctx);
  return end(words[2]);
}
