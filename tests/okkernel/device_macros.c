/* The macros as in builds for the device: an assertion that fails is logged, and the kernel then
 * goes on to its next statement. */
#undef USING_CMODEL
#include <okk.h>

#include "okkernel/scale_forms.h"

void device_log_and_assert(void) {
  OKKERNEL_LOG("before %d\n", 1);
  OKKERNEL_ASSERT(1 + 1 == 3);
  OKKERNEL_LOG("after\n");
}
