/* The forms in which programs call okk_bdc_scale and okk_bdc_scale_bias: with the last argument, or
 * without it, as older headers have it. dst, src, scale and bias are one element each. */
#ifndef SCALE_FORMS_H
#define SCALE_FORMS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { kDst = 0, kSrc = 128, kScale = 256, kBias = 384 };

void c_scale_with(bool result_add);
void c_scale_bias_with(bool result_add);
void c_scale_without(void);
void c_scale_bias_without(void);
void c_scale_old_header(void);
void c_scale_bias_old_header(void);
void device_log_and_assert(void);

#ifdef __cplusplus
}
#endif
#endif
