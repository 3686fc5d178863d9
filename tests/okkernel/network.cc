// Convolution, pooling, matrix products and matrix copies: several geometries each, compared with
// plain loops that add in the documented order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "okkernel/calls.h"
#include "okkernel/float_model.h"

namespace tputwin::okktest {
namespace {

Bits read(const Tensor& t, const Image& image, int n, int c, int h, int w) {
  return static_cast<Bits>(t.read(image, n, c, h, w));
}

Tensor lanes(int npu, const dim4& shape) {
  Tensor t{.npu = npu, .shape = shape};
  t.stride = aligned_stride(t);
  return t;
}
Tensor compact(int npu, const dim4& shape, int pack = 1) {
  Tensor t{.npu = npu, .pack = pack, .shape = shape, .passed = true};
  t.stride = dense_stride(t);
  return t;
}
void put(std::vector<Tensor>& tensors) {
  Allocator allocator;
  for (Tensor& t : tensors) allocator.put(t);
}

// Terms alternate between two accumulators.
struct TwoSums {
  Bits sum[2] = {0, 0};
  int term = 0;
  void add_product(Bits a, Bits b) { sum[term & 1] = add(sum[term & 1], mul(a, b)); }
  void next() { term++; }
  Bits total() const { return add(sum[0], sum[1]); }
};

// A window of a single tap has no sum.
struct WindowSums {
  TwoSums sums;
  Bits first = 0;
  void add_product(Bits a, Bits b) {
    if (sums.term == 0) first = mul(a, b);
    sums.add_product(a, b);
    sums.next();
  }
  Bits total() const { return sums.term == 1 ? first : sums.total(); }
};

struct Window {
  dim4 input;
  int kernel_h, kernel_w;
  const Padding* padding;
  const dim2 *stride, *dilation;

  Padding pad() const { return padding ? *padding : Padding{0, 0, 0, 0}; }
  dim2 step() const { return stride ? *stride : dim2{1, 1}; }
  dim2 spread() const { return dilation ? *dilation : dim2{1, 1}; }
  int output_h() const {
    return (input.h + pad().top + pad().bottom - ((kernel_h - 1) * spread().h + 1)) / step().h + 1;
  }
  int output_w() const {
    return (input.w + pad().left + pad().right - ((kernel_w - 1) * spread().w + 1)) / step().w + 1;
  }
  // Sets row and column under a tap; returns false in the padding.
  bool at(int y, int x, int kh, int kw, int& h, int& w) const {
    h = y * step().h + kh * spread().h - pad().top;
    w = x * step().w + kw * spread().w - pad().left;
    return 0 <= h && h < input.h && 0 <= w && w < input.w;
  }
  Bits value(const Tensor& t, const Image& image, int n, int c, int y, int x, int kh,
             int kw) const {
    int h, w;
    return at(y, x, kh, kw, h, w) ? read(t, image, n, c, h, w) : 0;
  }
};

const Padding kPad1{1, 1, 1, 1}, kOdd{0, 2, 3, 1};
const dim2 kStep2{2, 2}, kStep13{1, 3}, kSpread2{2, 2}, kSpread31{3, 1};

// Returns windows that every function supports; n and c are filled in.
const std::vector<Window>& windows() {
  static const std::vector<Window> all{
      {{1, 0, 1, 1}, 1, 1, nullptr, nullptr, nullptr},
      {{2, 0, 5, 6}, 3, 3, &kPad1, nullptr, nullptr},
      {{1, 0, 7, 8}, 2, 3, &kOdd, &kStep2, nullptr},
      {{2, 0, 8, 7}, 3, 2, &kPad1, &kStep13, &kSpread2},
      {{1, 0, 7, 3}, 3, 1, nullptr, nullptr, &kSpread31},
      {{3, 0, 4, 4}, 4, 4, nullptr, nullptr, nullptr},
  };
  return all;
}

struct Channels {
  int npu, input_npu, input, output;
};
std::string name_of_channels(const ::testing::TestParamInfo<Channels>& info) {
  const Channels& p = info.param;
  return fmt::format("{}_channels_to_{}_from_npu_{}_to_{}", p.input, p.output, p.input_npu, p.npu);
}

// Even and odd input channels have separate sums.
Bits sum_of_products(const Window& window, const Image& image, const Tensor& in,
                     const Tensor& weight, int n, int oc, int y, int x) {
  TwoSums even, odd;
  for (int kh = 0; kh < window.kernel_h; kh++)
    for (int kw = 0; kw < window.kernel_w; kw++)
      for (int ic = 0; ic < window.input.c; ic += 2) {
        auto multiply = [&](TwoSums& sums, int channel) {
          sums.add_product(window.value(in, image, n, channel, y, x, kh, kw),
                           read(weight, image, channel, oc, kh, kw));
        };
        multiply(even, ic);
        if (ic + 1 < window.input.c) multiply(odd, ic + 1);
        even.next();
        odd.next();
      }
  return add(even.total(), odd.total());
}

class Conv2d : public ::testing::TestWithParam<Channels> {};

TEST_P(Conv2d, EqualsTheDocumentedSum) {
  const Channels& channels = GetParam();
  int index = 0;
  for (Window window : windows()) {
    window.input.c = channels.input;
    const bool bias = index % 2 == 0, result_add = index % 3 == 0, null_strides = index % 4 < 2;
    index++;
    const dim4 out_shape{window.input.n, channels.output, window.output_h(), window.output_w()};
    Case c{.shape = window.input, .t = {}, .k = {}};
    c.t = {lanes(channels.npu, out_shape), lanes(channels.input_npu, window.input),
           compact(channels.npu,
                   {channels.input, channels.output, window.kernel_h, window.kernel_w}, 2),
           compact(channels.npu, {1, channels.output, 1, 1})};
    if (!null_strides) {
      c.t[1].passed = true;
      c.t[1].stride = {c.t[1].stride.n + 3, c.t[1].stride.c + 1, window.input.w, 1};
    }
    put(c.t);
    const Tensor &out = c.t[0], &in = c.t[1], &weight = c.t[2], &per_channel = c.t[3];
    check(
        "okk_bdc_conv2d", c, {ordinary_f32, ordinary_f32, ordinary_f32, ordinary_f32},
        [&] {
          okk_bdc_conv2d(at(c, 0), at(c, 1), at(c, 2), bias ? at(c, 3) : 0, &window.input,
                         channels.output, window.kernel_h, window.kernel_w, in.strides(),
                         null_strides ? nullptr : &weight.stride, bias, result_add, window.padding,
                         window.stride, window.dilation);
        },
        [&](Image& image) {
          const Image before = image;
          for_each(out_shape, [&](int n, int oc, int y, int x) {
            Bits sum = sum_of_products(window, before, in, weight, n, oc, y, x);
            if (bias) sum = add(sum, read(per_channel, before, 0, oc, 0, 0));
            if (result_add) sum = add(sum, read(out, before, n, oc, y, x));
            out.write(image, n, oc, y, x, sum);
          });
        });
    if (HasFatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Channels, Conv2d,
                         ::testing::Values(Channels{0, 0, 1, 1}, Channels{0, 0, 3, 63},
                                           Channels{0, 0, 4, 64}, Channels{0, 0, 5, 65},
                                           Channels{7, 0, 65, 3}, Channels{0, 9, 64, 2},
                                           Channels{63, 63, 2, 130}),
                         name_of_channels);

class PerChannelWindow : public ::testing::TestWithParam<Channels> {};

TEST_P(PerChannelWindow, Depthwise2d) {
  const Channels& channels = GetParam();
  bool bias = true;
  for (Window window : windows()) {
    window.input.c = channels.input;
    const dim4 out_shape{window.input.n, channels.input, window.output_h(), window.output_w()};
    Case c{.shape = window.input, .t = {}, .k = {}};
    c.t = {lanes(channels.npu, out_shape), lanes(channels.npu, window.input),
           compact(channels.npu, {1, channels.input, window.kernel_h, window.kernel_w}),
           compact(channels.npu, {1, channels.input, 1, 1})};
    put(c.t);
    const Tensor &out = c.t[0], &in = c.t[1], &weight = c.t[2], &per_channel = c.t[3];
    check(
        "okk_bdc_depthwise2d", c, {any_f32, ordinary_f32, ordinary_f32, ordinary_f32},
        [&] {
          okk_bdc_depthwise2d(at(c, 0), at(c, 1), at(c, 2), bias ? at(c, 3) : 0, &window.input,
                              window.kernel_h, window.kernel_w, bias, window.padding, window.stride,
                              window.dilation);
        },
        [&](Image& image) {
          const Image before = image;
          for_each(out_shape, [&](int n, int ch, int y, int x) {
            WindowSums sums;
            for (int kh = 0; kh < window.kernel_h; kh++)
              for (int kw = 0; kw < window.kernel_w; kw++)
                sums.add_product(window.value(in, before, n, ch, y, x, kh, kw),
                                 read(weight, before, 0, ch, kh, kw));
            const Bits sum = sums.total();
            out.write(image, n, ch, y, x,
                      bias ? add(sum, read(per_channel, before, 0, ch, 0, 0)) : sum);
          });
        });
    if (HasFatalFailure()) return;
    bias = !bias;
  }
}

TEST_P(PerChannelWindow, AvgAndMaxPool2d) {
  const Channels& channels = GetParam();
  for (bool average : {true, false})
    for (Window window : windows()) {
      window.input.c = channels.input;
      window.dilation = nullptr;
      const dim4 out_shape{window.input.n, channels.input, window.output_h(), window.output_w()};
      Case c{.shape = window.input, .t = {}, .k = {}};
      c.t = {lanes(channels.npu, out_shape), lanes(channels.npu, window.input)};
      put(c.t);
      const Bits inverse = as_bits(1.0f / static_cast<float>(window.kernel_h * window.kernel_w));
      check(
          average ? "okk_bdc_avg_pool2d" : "okk_bdc_max_pool2d", c, {any_f32, any_f32},
          [&] {
            (average ? okk_bdc_avg_pool2d : okk_bdc_max_pool2d)(at(c, 0), at(c, 1), &window.input,
                                                                window.kernel_h, window.kernel_w,
                                                                window.padding, window.stride);
          },
          [&](Image& image) {
            for_each(out_shape, [&](int n, int ch, int y, int x) {
              WindowSums sums;
              Bits largest = 0xff7fffff;
              for (int kh = 0; kh < window.kernel_h; kh++)
                for (int kw = 0; kw < window.kernel_w; kw++) {
                  int h, w;
                  const bool inside = window.at(y, x, kh, kw, h, w);
                  const Bits v = inside ? read(c.t[1], image, n, ch, h, w) : 0;
                  sums.add_product(v, inverse);
                  if (inside && greater(v, largest)) largest = flushed(v);
                }
              c.t[0].write(image, n, ch, y, x, average ? sums.total() : largest);
            });
          });
      if (HasFatalFailure()) return;
    }
}
INSTANTIATE_TEST_SUITE_P(Channels, PerChannelWindow,
                         ::testing::Values(Channels{0, 0, 1, 0}, Channels{0, 0, 63, 0},
                                           Channels{0, 0, 64, 0}, Channels{0, 0, 65, 0},
                                           Channels{5, 0, 60, 0}, Channels{63, 0, 130, 0}),
                         name_of_channels);

// Returns a matrix as a tensor (rows, channels, 1, columns of a channel).
Tensor matrix(int npu, int rows, int cols, int per_channel) {
  return lanes(npu, {rows, (cols + per_channel - 1) / per_channel, 1, per_channel});
}
Bits cell(const Tensor& t, const Image& image, int i, int j) {
  return read(t, image, i, j / t.shape.w, 0, j % t.shape.w);
}

struct Product {
  int rows, inner, cols, left_per_channel, right_per_channel;
  bool bias, result_add;
  int npu = 0, left_npu = 0;
};

class MatMul : public ::testing::TestWithParam<Product> {};

TEST_P(MatMul, EqualsTheDocumentedSum) {
  const Product& p = GetParam();
  Case c{.shape = {p.rows, 1, 1, p.cols}, .t = {}, .k = {}};
  c.t = {matrix(p.npu, p.rows, p.cols, p.right_per_channel),
         matrix(p.left_npu, p.rows, p.inner, p.left_per_channel),
         matrix(p.npu, p.inner, p.cols, p.right_per_channel),
         matrix(p.npu, 1, p.cols, p.right_per_channel)};
  put(c.t);
  check(
      "okk_bdc_matmul", c, {ordinary_f32, ordinary_f32, ordinary_f32, ordinary_f32},
      [&] {
        okk_bdc_matmul(at(c, 0), at(c, 1), at(c, 2), p.bias ? at(c, 3) : 0, p.rows, p.inner, p.cols,
                       p.left_per_channel, p.right_per_channel, p.bias, p.result_add);
      },
      [&](Image& image) {
        const Image before = image;
        // the columns that pad the last channel are computed too
        for_each(c.t[0].shape, [&](int i, int channel, int, int w) {
          const int j = channel * p.right_per_channel + w;
          TwoSums sums;
          for (int k = 0; k < p.inner; k++, sums.next())
            sums.add_product(cell(c.t[1], before, i, k), cell(c.t[2], before, k, j));
          Bits sum = sums.total();
          if (p.bias) sum = add(sum, cell(c.t[3], before, 0, j));
          if (p.result_add) sum = add(sum, cell(c.t[0], before, i, j));
          c.t[0].write(image, i, channel, 0, w, sum);
        });
      });
}
INSTANTIATE_TEST_SUITE_P(
    Products, MatMul,
    ::testing::Values(Product{1, 1, 1, 1, 1, false, false}, Product{3, 7, 10, 2, 3, true, false},
                      Product{5, 16, 64, 16, 1, false, true}, Product{2, 65, 33, 1, 1, true, true},
                      Product{4, 12, 130, 5, 2, true, false},
                      Product{2, 9, 128, 9, 128, false, true},
                      Product{3, 20, 200, 3, 3, true, true, 63, 10}),
    [](const auto& info) {
      const auto& p = info.param;
      return fmt::format("{}x{}x{}_{}{}_npu_{}", p.rows, p.inner, p.cols, p.bias ? "bias" : "plain",
                         p.result_add ? "_added" : "", p.npu);
    });

struct Copy {
  int rows, cols, per_channel, row_stride, npu;
};
class MatrixCopy : public ::testing::TestWithParam<Copy> {};

TEST_P(MatrixCopy, MovesTheValidColumns) {
  const Copy& p = GetParam();
  for (bool to_local : {true, false}) {
    Case c{.shape = {p.rows, 1, 1, p.cols}, .t = {}, .k = {}};
    Tensor system{.system = true, .shape = {p.rows, 1, 1, p.cols}};
    system.stride = {p.row_stride, p.cols, p.cols, 1};
    Tensor local = matrix(p.npu, p.rows, p.cols, p.per_channel);
    local.stride.n = matrix(0, p.rows, p.cols, p.per_channel).stride.n;  // counts no start NPU
    c.t = {local, system};
    put(c.t);
    check(
        to_local ? "okk_gdma_32bit_matrix_S2L" : "okk_gdma_32bit_matrix_L2S", c,
        {any_bits, any_bits},
        [&] {
          if (to_local)
            okk_gdma_32bit_matrix_S2L(at(c, 0), c.address(1), p.rows, p.cols, p.per_channel,
                                      p.row_stride);
          else
            okk_gdma_32bit_matrix_L2S(c.address(1), at(c, 0), p.rows, p.cols, p.per_channel,
                                      p.row_stride);
        },
        [&](Image& image) {
          for (int i = 0; i < p.rows; i++)
            for (int j = 0; j < p.cols; j++) {
              const Tensor &lanes = c.t[0], &rows = c.t[1];
              if (to_local)
                lanes.write(image, i, j / p.per_channel, 0, j % p.per_channel,
                            rows.read(image, i, 0, 0, j));
              else
                rows.write(image, i, 0, 0, j, cell(lanes, image, i, j));
            }
        });
    if (HasFatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Copies, MatrixCopy,
                         ::testing::Values(Copy{1, 1, 1, 1, 0}, Copy{2, 10, 4, 10, 0},
                                           Copy{3, 63, 1, 70, 0}, Copy{3, 65, 1, 65, 0},
                                           Copy{2, 130, 2, 131, 0}, Copy{4, 33, 32, 33, 63},
                                           Copy{2, 130, 1, 130, 60}),
                         [](const auto& info) {
                           const auto& p = info.param;
                           return fmt::format("{}x{}_{}_in_a_channel_npu_{}", p.rows, p.cols,
                                              p.per_channel, p.npu);
                         });

}  // namespace
}  // namespace tputwin::okktest
