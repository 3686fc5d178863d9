/* C, for a program that uses the older header's functions, whose addresses it takes. */
#define OKK_SCALE_NO_RESULT_ADD
#include <okk.h>
#include <stddef.h>

#include "okkernel/scale_forms.h"

static const dim4 one = {1, 1, 1, 1};

void c_scale_old_header(void) {
  void (*scale)(local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*, const dim4*) =
      okk_bdc_scale;
  scale(kDst, kSrc, kScale, &one, NULL, NULL);
}
void c_scale_bias_old_header(void) {
  okk_bdc_scale_bias(kDst, kSrc, kScale, kBias, &one, NULL, NULL);
}
