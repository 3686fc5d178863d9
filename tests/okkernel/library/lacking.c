/* A library of kernels without the file that defines two of its functions. */
#include <okk.h>

int helper_of_another_file(int value, double weight);
void other_helper(const void* args);

/* Stores 7; calls one of the undefined functions if its argument says so. */
void lacking(const void* args) {
  const int which = *(const int*)args;
  const dim4 shape = {1, 1, 1, 1};
  const x32 value = {.s32 = 7};
  okk_initialize();
  okk_bdc_32bit_set_C(0, value, &shape, NULL);
  okk_poll();
  if (which == 1) *(int*)okk_local_mem_addr(0, 0) = helper_of_another_file(which, 0.5);
  if (which == 2) other_helper(args);
}
OKKERNEL_FUNC_REGISTER(lacking)
