/* C: with the argument and without it. */
#include <okk.h>
#include <stddef.h>

#include "okkernel/scale_forms.h"

static const dim4 one = {1, 1, 1, 1};

void c_scale_with(bool result_add) {
  okk_bdc_scale(kDst, kSrc, kScale, &one, NULL, NULL, result_add);
}
void c_scale_bias_with(bool result_add) {
  okk_bdc_scale_bias(kDst, kSrc, kScale, kBias, &one, NULL, NULL, result_add);
}
void c_scale_without(void) { okk_bdc_scale(kDst, kSrc, kScale, &one, NULL, NULL); }
void c_scale_bias_without(void) { okk_bdc_scale_bias(kDst, kSrc, kScale, kBias, &one, NULL, NULL); }
