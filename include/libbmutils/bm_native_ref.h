/*
 * Reference functions for checking results on the host. C99 and C++11.
 *
 * Tensors are dense NCHW arrays, weights (oc, ic, kh, kw). The int8 functions compute as the chip
 * does: exact sums, then a right shift that rounds half up, then saturation. The vendor documents
 * only the names; the argument lists are those of this project.
 */
#ifndef LIBBMUTILS_BM_NATIVE_REF_H
#define LIBBMUTILS_BM_NATIVE_REF_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int n, c, h, w; /* of the input */
  int oc;         /* output channels; pooling ignores it */
  int kh, kw;
  int pad_top, pad_bottom, pad_left, pad_right;
  int stride_h, stride_w;
  int ins_h, ins_w;           /* zeros inserted after every element but the last */
  int ins_last_h, ins_last_w; /* zeros inserted after the last */
  int dilation_h, dilation_w; /* 1: none */
} native_window_t;

/* Returns the extent after inserting ins_h zeros between rows, ins_h_l after the last, and
 * padding. */
int calc_dilute_hw(int h, int ins_h, int ins_h_l, int pad_h_b, int pad_h_t);
/* Returns the output extent of a window of khw on hw elements. */
int calc_output_hw(int hw, int khw, int stride);

/* bias may be NULL. */
void native_conv_int8(const int8_t* ifmap, const int8_t* weight, const int16_t* bias, int8_t* ofmap,
                      const native_window_t* window, bool relu, int rshift_width);
void native_conv_fp32(const float* ifmap, const float* weight, const float* bias, float* ofmap,
                      const native_window_t* window, bool relu);
/* ofmap = sat8((sum over the window * avg_const) >> rshift_width), counting padded positions. */
void native_pooling_ave_int8(const int8_t* ifmap, int8_t* ofmap, const native_window_t* window,
                             uint8_t avg_const, int rshift_width);
void native_pooling_max_int8(const int8_t* ifmap, int8_t* ofmap, const native_window_t* window);
void native_pooling_ave_fp32(const float* ifmap, float* ofmap, const native_window_t* window);
void native_pooling_max_fp32(const float* ifmap, float* ofmap, const native_window_t* window);
/* res(rows, cols) = left(rows, inner) * right(inner, cols) + bias(cols). */
void native_fc_int8(const int8_t* left, const int8_t* right, const int16_t* bias, int8_t* res,
                    int rows, int inner, int cols, bool relu, int rshift_width);
void native_fc_fp32(const float* left, const float* right, const float* bias, float* res, int rows,
                    int inner, int cols, bool relu);

/* Copies one map into the middle of the larger map at *pafter, which is filled with pad_value
 * around it and where insertion leaves gaps. */
void fill_pad_fmap_int8(const int8_t* before, int8_t** pafter, int pad_value, int pad_t, int pad_b,
                        int pad_l, int pad_r, int ins_h, int ins_w, int ins_h_last, int ins_w_last,
                        int h_before, int w_before);
void fill_pad_fmap_fp32(const float* before, float** pafter, float pad_value, int pad_t, int pad_b,
                        int pad_l, int pad_r, int ins_h, int ins_w, int ins_h_last, int ins_w_last,
                        int h_before, int w_before);

/* Widening copies. */
void fill_int_with_int8(int* dst, const int8_t* src, int size);
void fill_int_with_uint8(int* dst, const uint8_t* src, int size);
void fill_int_with_int16(int* dst, const int16_t* src, int size);

/* Computes c[i] = a[i] * b[i]; returns the sum. */
int64_t inner_product(const int* a, const int* b, int len, int* c);

/* Shifts right (rounding half up unless round_floor), then saturates to signed or unsigned. */
void satu_2_8bit(const int* buf, int len, int8_t* out, int rshift, int round_floor, int sign);
void satu_2_16bit(const int* buf, int len, int16_t* out, int rshift, int round_floor, int sign);

/* Return 0 if equal (floats: within delta, relative above 1). Otherwise they return -1 and print a
 * line on stderr about the first difference. */
int array_cmp_float(const char* info, const float* expected, const float* actual, int len,
                    float delta);
int array_cmp_int(const char* info, const int* expected, const int* actual, int len);
int array_cmp_int8(const char* info, const int8_t* expected, const int8_t* actual, int len);

#ifdef __cplusplus
}
#endif

#endif
