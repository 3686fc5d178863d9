// Host references: plain loops that follow the formulas.
#include <libbmutils/bm_native_ref.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace {

template <class T>
T saturate(int64_t value) {
  return static_cast<T>(
      std::clamp<int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// Rounds half up.
int64_t round_shift(int64_t value, int shift) {
  return shift > 0 ? (value + (int64_t{1} << (shift - 1))) >> shift : value;
}

int kernel_extent(int k, int dilation) { return (k - 1) * std::max(dilation, 1) + 1; }

struct Extent {
  int h, w;
};

Extent output_extent(const native_window_t& v) {
  int h = calc_dilute_hw(v.h, v.ins_h, v.ins_last_h, v.pad_bottom, v.pad_top);
  int w = calc_dilute_hw(v.w, v.ins_w, v.ins_last_w, v.pad_right, v.pad_left);
  return {calc_output_hw(h, kernel_extent(v.kh, v.dilation_h), v.stride_h),
          calc_output_hw(w, kernel_extent(v.kw, v.dilation_w), v.stride_w)};
}

// Returns the input element of tap k at output position `out`; -1 for padding and insertions.
int input_index(int out, int k, int stride, int dilation, int pad, int ins, int extent) {
  int at = out * stride + k * std::max(dilation, 1) - pad;
  if (at < 0 || at % (ins + 1) != 0 || at / (ins + 1) >= extent) return -1;
  return at / (ins + 1);
}

// Calls call(kh, kw, index in the image) for every tap on a real element.
template <class F>
void for_each_tap(const native_window_t& v, int oh, int ow, F call) {
  for (int kh = 0; kh < v.kh; ++kh)
    for (int kw = 0; kw < v.kw; ++kw) {
      int h = input_index(oh, kh, v.stride_h, v.dilation_h, v.pad_top, v.ins_h, v.h);
      int w = input_index(ow, kw, v.stride_w, v.dilation_w, v.pad_left, v.ins_w, v.w);
      if (h >= 0 && w >= 0) call(kh, kw, h * v.w + w);
    }
}

// out = finish(sum over ic and taps of in*weight + bias)
template <class In, class Bias, class Acc, class Finish>
void convolve(const In* in, const In* weight, const Bias* bias, In* out, const native_window_t& v,
              Acc zero, Finish finish) {
  Extent e = output_extent(v);
  for (int n = 0; n < v.n; ++n)
    for (int oc = 0; oc < v.oc; ++oc)
      for (int oh = 0; oh < e.h; ++oh)
        for (int ow = 0; ow < e.w; ++ow) {
          Acc sum = zero;
          for (int ic = 0; ic < v.c; ++ic) {
            const In* image = in + (n * v.c + ic) * v.h * v.w;
            const In* kernel = weight + (oc * v.c + ic) * v.kh * v.kw;
            for_each_tap(v, oh, ow, [&](int kh, int kw, int i) {
              sum += static_cast<Acc>(image[i]) * kernel[kh * v.kw + kw];
            });
          }
          if (bias != nullptr) sum += bias[oc];
          *out++ = finish(sum);
        }
}

// out = finish(fold over taps)
template <class In, class Acc, class Fold, class Finish>
void pool(const In* in, In* out, const native_window_t& v, Acc start, Fold fold, Finish finish) {
  Extent e = output_extent(v);
  for (int image = 0; image < v.n * v.c; ++image, in += v.h * v.w)
    for (int oh = 0; oh < e.h; ++oh)
      for (int ow = 0; ow < e.w; ++ow) {
        Acc value = start;
        for_each_tap(v, oh, ow, [&](int, int, int i) { value = fold(value, in[i]); });
        *out++ = finish(value);
      }
}

template <class In, class Bias, class Acc, class Finish>
void multiply(const In* left, const In* right, const Bias* bias, In* res, int rows, int inner,
              int cols, Acc zero, Finish finish) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      Acc sum = zero;
      for (int k = 0; k < inner; ++k)
        sum += static_cast<Acc>(left[r * inner + k]) * right[k * cols + c];
      if (bias != nullptr) sum += bias[c];
      res[r * cols + c] = finish(sum);
    }
}

auto finish_int8(bool relu, int rshift) {
  return [=](int64_t sum) {
    return saturate<int8_t>(round_shift(relu ? std::max<int64_t>(sum, 0) : sum, rshift));
  };
}

auto finish_fp32(bool relu) {
  return [=](float sum) { return relu ? std::max(sum, 0.0f) : sum; };
}

template <class T>
void fill_pad(const T* before, T* after, T value, int pad_t, int pad_b, int pad_l, int pad_r,
              int ins_h, int ins_w, int ins_h_last, int ins_w_last, int h, int w) {
  int rows = calc_dilute_hw(h, ins_h, ins_h_last, pad_b, pad_t);
  int cols = calc_dilute_hw(w, ins_w, ins_w_last, pad_r, pad_l);
  std::fill_n(after, rows * cols, value);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      after[(pad_t + y * (ins_h + 1)) * cols + pad_l + x * (ins_w + 1)] = before[y * w + x];
}

template <class Wide, class Narrow>
void narrow(const Wide* buf, int len, Narrow* out, int rshift, bool floor) {
  for (int i = 0; i < len; ++i)
    out[i] = saturate<Narrow>(floor ? int64_t{buf[i]} >> rshift : round_shift(buf[i], rshift));
}

template <class T, class Same>
int compare(const char* info, const T* expected, const T* actual, int len, Same same) {
  for (int i = 0; i < len; ++i) {
    if (same(expected[i], actual[i])) continue;
    std::fprintf(stderr, "%s: element %d is %g, expected %g\n", info != nullptr ? info : "", i,
                 static_cast<double>(actual[i]), static_cast<double>(expected[i]));
    return -1;
  }
  return 0;
}

}  // namespace

int calc_dilute_hw(int h, int ins_h, int ins_h_l, int pad_h_b, int pad_h_t) {
  return (h - 1) * (ins_h + 1) + 1 + ins_h_l + pad_h_t + pad_h_b;
}

int calc_output_hw(int hw, int khw, int stride) {
  return hw < khw ? 0 : (hw - khw) / std::max(stride, 1) + 1;
}

void native_conv_int8(const int8_t* ifmap, const int8_t* weight, const int16_t* bias, int8_t* ofmap,
                      const native_window_t* window, bool relu, int rshift_width) {
  convolve(ifmap, weight, bias, ofmap, *window, int64_t{0}, finish_int8(relu, rshift_width));
}

void native_conv_fp32(const float* ifmap, const float* weight, const float* bias, float* ofmap,
                      const native_window_t* window, bool relu) {
  convolve(ifmap, weight, bias, ofmap, *window, 0.0f, finish_fp32(relu));
}

void native_pooling_ave_int8(const int8_t* ifmap, int8_t* ofmap, const native_window_t* window,
                             uint8_t avg_const, int rshift_width) {
  pool(
      ifmap, ofmap, *window, int64_t{0}, [](int64_t sum, int8_t v) { return sum + v; },
      [=](int64_t sum) { return saturate<int8_t>(round_shift(sum * avg_const, rshift_width)); });
}

void native_pooling_max_int8(const int8_t* ifmap, int8_t* ofmap, const native_window_t* window) {
  pool(
      ifmap, ofmap, *window, int8_t{-128}, [](int8_t a, int8_t b) { return std::max(a, b); },
      [](int8_t v) { return v; });
}

void native_pooling_ave_fp32(const float* ifmap, float* ofmap, const native_window_t* window) {
  float count = static_cast<float>(window->kh * window->kw);
  pool(
      ifmap, ofmap, *window, 0.0f, [](float sum, float v) { return sum + v; },
      [=](float sum) { return sum / count; });
}

void native_pooling_max_fp32(const float* ifmap, float* ofmap, const native_window_t* window) {
  pool(
      ifmap, ofmap, *window, std::numeric_limits<float>::lowest(),
      [](float a, float b) { return std::max(a, b); }, [](float v) { return v; });
}

void native_fc_int8(const int8_t* left, const int8_t* right, const int16_t* bias, int8_t* res,
                    int rows, int inner, int cols, bool relu, int rshift_width) {
  multiply(left, right, bias, res, rows, inner, cols, int64_t{0}, finish_int8(relu, rshift_width));
}

void native_fc_fp32(const float* left, const float* right, const float* bias, float* res, int rows,
                    int inner, int cols, bool relu) {
  multiply(left, right, bias, res, rows, inner, cols, 0.0f, finish_fp32(relu));
}

void fill_pad_fmap_int8(const int8_t* before, int8_t** pafter, int pad_value, int pad_t, int pad_b,
                        int pad_l, int pad_r, int ins_h, int ins_w, int ins_h_last, int ins_w_last,
                        int h_before, int w_before) {
  fill_pad(before, *pafter, static_cast<int8_t>(pad_value), pad_t, pad_b, pad_l, pad_r, ins_h,
           ins_w, ins_h_last, ins_w_last, h_before, w_before);
}

void fill_pad_fmap_fp32(const float* before, float** pafter, float pad_value, int pad_t, int pad_b,
                        int pad_l, int pad_r, int ins_h, int ins_w, int ins_h_last, int ins_w_last,
                        int h_before, int w_before) {
  fill_pad(before, *pafter, pad_value, pad_t, pad_b, pad_l, pad_r, ins_h, ins_w, ins_h_last,
           ins_w_last, h_before, w_before);
}

void fill_int_with_int8(int* dst, const int8_t* src, int size) { std::copy_n(src, size, dst); }
void fill_int_with_uint8(int* dst, const uint8_t* src, int size) { std::copy_n(src, size, dst); }
void fill_int_with_int16(int* dst, const int16_t* src, int size) { std::copy_n(src, size, dst); }

int64_t inner_product(const int* a, const int* b, int len, int* c) {
  int64_t sum = 0;
  for (int i = 0; i < len; ++i) {
    c[i] = a[i] * b[i];
    sum += c[i];
  }
  return sum;
}

void satu_2_8bit(const int* buf, int len, int8_t* out, int rshift, int round_floor, int sign) {
  if (sign)
    narrow(buf, len, out, rshift, round_floor);
  else
    narrow(buf, len, reinterpret_cast<uint8_t*>(out), rshift, round_floor);
}

void satu_2_16bit(const int* buf, int len, int16_t* out, int rshift, int round_floor, int sign) {
  if (sign)
    narrow(buf, len, out, rshift, round_floor);
  else
    narrow(buf, len, reinterpret_cast<uint16_t*>(out), rshift, round_floor);
}

int array_cmp_float(const char* info, const float* expected, const float* actual, int len,
                    float delta) {
  return compare(info, expected, actual, len, [=](float e, float a) {
    return std::fabs(a - e) <= delta * std::max({1.0f, std::fabs(a), std::fabs(e)});
  });
}

int array_cmp_int(const char* info, const int* expected, const int* actual, int len) {
  return compare(info, expected, actual, len, [](int e, int a) { return e == a; });
}

int array_cmp_int8(const char* info, const int8_t* expected, const int8_t* actual, int len) {
  return compare(info, expected, actual, len, [](int e, int a) { return e == a; });
}
