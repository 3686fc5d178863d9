/* A kernel with a project's own copy of a header, and macros of its own headers. */
#ifdef COPY_FIRST
#include COPY
#include <tpu_kernel.h>
#else
#include <tpu_kernel.h>
#include COPY
#endif

/* A second definition with the same tokens is legal. */
#define MIN(x, y) (((x)) < ((y)) ? (x) : (y))
#define MAX(x, y) (((x)) > ((y)) ? (x) : (y))
#define NO_USE 0

static void own_macros(const void* args) {
  const dim4 shape = {1, NPU_NUM, 1, MIN(3, MAX(1, 2))};
  const dim5 deep = {1, 2, 3, 4, 5};
  dim4 flat;
  const scalar_t value = {.u32 = (uint32_t)(uintptr_t)args};
  tpu_initialize();
  tpu_bdc_set_C(NO_USE, value, &shape, NULL, DT_UINT32);
  tpu_local_shape_5d_to_4d(&deep, &flat);
  TPUKERNEL_ASSERT(flat.n == 3 && flat.w == 5);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(own_macros)

int main(void) { return ALIGN_MASK_DOWN(0x1234, 0xff) == 0x1200 && MIN(2, 1) == 1 ? 0 : 1; }
