/* Device code without the file that defines a function of its own. */
#include <tpu_kernel.h>

float scaled_elsewhere(float value, int times);

/* Calls an undefined function if its argument says so. */
void lacking(const void* args) {
  tpu_initialize();
  tpu_poll();
  if (*(const int*)args != 0) *(float*)tpu_local_mem_addr(0, 0) = scaled_elsewhere(1.0f, 3);
}
TPUKERNEL_FUNC_REGISTER(lacking)
