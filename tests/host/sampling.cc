// Operators that interpolate between pixels, compared with tent functions summed over the whole
// plane, in double.
#include "host/support.h"

namespace tputwin::testing {
namespace {

// Returns the bilinear value at (y, x): each pixel is weighted by its distance. 0 outside.
double tents(const Array& in, int64_t n, int64_t c, double y, double x) {
  double sum = 0;
  for (int64_t h = 0; h < in.shape[2]; ++h)
    for (int64_t w = 0; w < in.shape[3]; ++w)
      sum += std::max(0.0, 1 - std::fabs(y - static_cast<double>(h))) *
             std::max(0.0, 1 - std::fabs(x - static_cast<double>(w))) *
             double{at(in.f32(), in.shape, {n, c, h, w})};
  return sum;
}

double clamped(double at, int64_t extent) {
  return std::clamp(at, 0.0, static_cast<double>(extent - 1));
}

TEST(Interp, BilinearBothWaysAndNearest) {
  Random random(1);
  for (const Shape& shape : {Shape{2, 3, 4, 7}, Shape{1, 1, 1, 1}, Shape{1, 2, 5, 1}})
    for (int64_t height : {1, 3, 9})
      for (int64_t width : {1, 6}) {
        const Array in = random.fine(shape);
        const std::string size =
            "height=" + std::to_string(height) + " width=" + std::to_string(width);
        const Array aligned = run1("interp " + size, {in});
        const Array half = run1("interp align_corners=0 " + size, {in});
        const Array nearest = run1("interp mode=nearest " + size, {in});
        const auto corner = [](int64_t at, int64_t to, int64_t from) {
          return to > 1 ? static_cast<double>(at * (from - 1)) / static_cast<double>(to - 1) : 0;
        };
        const auto middle = [](int64_t at, int64_t to, int64_t from) {
          return clamped((static_cast<double>(at) + 0.5) * static_cast<double>(from) /
                                 static_cast<double>(to) -
                             0.5,
                         from);
        };
        ASSERT_EQ(aligned.shape, (Shape{shape[0], shape[1], height, width}));
        for_each_place(aligned.shape, [&](const std::vector<int64_t>& p) {
          EXPECT_NEAR(
              at(aligned.f32(), aligned.shape, p),
              tents(in, p[0], p[1], corner(p[2], height, shape[2]), corner(p[3], width, shape[3])),
              1e-5);
          EXPECT_NEAR(
              at(half.f32(), half.shape, p),
              tents(in, p[0], p[1], middle(p[2], height, shape[2]), middle(p[3], width, shape[3])),
              1e-5);
          EXPECT_EQ(
              at(nearest.f32(), nearest.shape, p),
              at(in.f32(), shape, {p[0], p[1], p[2] * shape[2] / height, p[3] * shape[3] / width}));
        });
      }
}

TEST(Interp, PadsCut) {
  const Array in = floats({1, 1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT_THAT(run1("interp height=1 width=2 pad_beg=-1 pad_end=-1", {in}).f32(), ElementsAre(5, 6));
  EXPECT_THAT(failure("interp height=1 width=2 pad_beg=-2 pad_end=-1", {in}),
              HasSubstr("leave rows and columns"));
  EXPECT_THAT(failure("interp height=1 width=2 pad_beg=1", {in}), HasSubstr("pad_beg = 1"));
  EXPECT_THAT(failure("interp height=1", {in}), HasSubstr("width = not given"));
  EXPECT_THAT(failure("interp height=2000000000 width=2000000000", {in}),
              HasSubstr("its capacity is"));
}

TEST(GridSampler, EveryModeAndPadding) {
  Random random(2);
  const Array in = random.fine({2, 2, 3, 5});
  Array grid = random.fine({2, 4, 6, 2}, -2.5F, 2.5F);
  std::get<0>(grid.values)[0] = kNan;  // counts as -1
  for (bool aligned : {false, true})
    for (const std::string padding : {"zeros", "border", "reflection"}) {
      const Array out =
          run1("grid_sampler padding_mode=" + padding + " align_corners=" + (aligned ? "1" : "0"),
               {in, grid});
      const auto pixel = [&](double value, int64_t extent) {
        if (std::isnan(value)) value = -1;
        const auto size = static_cast<double>(extent);
        double at = aligned ? (value + 1) / 2 * (size - 1) : ((value + 1) * size - 1) / 2;
        const double low = aligned ? 0 : -0.5, high = aligned ? size - 1 : size - 0.5;
        if (padding == "reflection")  // reflects until it is inside
          while (at < low || at > high) at = at < low ? 2 * low - at : 2 * high - at;
        return padding == "zeros" ? at : clamped(at, extent);
      };
      for_each_place(out.shape, [&](const std::vector<int64_t>& p) {
        const double x = pixel(at(grid.f32(), grid.shape, {p[0], p[2], p[3], 0}), 5);
        const double y = pixel(at(grid.f32(), grid.shape, {p[0], p[2], p[3], 1}), 3);
        EXPECT_NEAR(at(out.f32(), out.shape, p), tents(in, p[0], p[1], y, x), 1e-4);
      });
    }
}

TEST(GridSampler, Nearest) {
  const Array in = floats({1, 1, 1, 4}, {1, 2, 3, 4});
  const Array grid = floats({1, 1, 6, 2}, {-1, 0, -0.5F, 0, 0.1F, 0, 1, 0, 1.5F, 0, 0, 3});
  const std::string aligned = "grid_sampler mode=nearest align_corners=1";
  // positions 0, 0.75, 1.65, 3, 3.75 (outside: 4), 1.5 (a row outside, when rows can be)
  EXPECT_THAT(run1(aligned, {in, grid}).f32(), ElementsAre(1, 2, 3, 4, 0, 3));
  EXPECT_THAT(failure(aligned, {in, floats({1, 1, 1, 2}, {kInf, 0})}), HasSubstr("not infinite"));
  EXPECT_THAT(failure(aligned, {in, floats({2, 1, 1, 2}, {0, 0, 0, 0})}), HasSubstr("(n,h,w,2)"));
}

// ONNX's formula: the mean of bilinear samples; the border values extend one pixel further.
TEST(RoiAlign, MeansOfSamples) {
  Random random(3);
  const Array in = random.fine({2, 2, 5, 6});
  const Array regions = floats({3, 4}, {1, 1, 9, 7, -3, 2, 4, 2.5F, 10, 8, 12, 12});
  const Array images = integers({3}, {1, 0, 1});
  for (bool half_pixel : {true, false})
    for (int64_t ratio : {0, 2}) {
      const Array out =
          run1("roi_align output_height=2 output_width=3 spatial_scale=0.5 sampling_ratio=" +
                   std::to_string(ratio) + " coordinate_transformation_mode=" +
                   (half_pixel ? "half_pixel" : "output_half_pixel"),
               {in, regions, images});
      ASSERT_EQ(out.shape, (Shape{3, 2, 2, 3}));
      const double offset = half_pixel ? 0.5 : 0;
      for_each_place(out.shape, [&](const std::vector<int64_t>& p) {
        const float* r = regions.f32().data() + p[0] * 4;
        const auto side = [&](int first, double bins) {
          const double from = r[first] * 0.5 - offset, to = r[first + 2] * 0.5 - offset;
          const double length = half_pixel ? to - from : std::max(to - from, 1.0);
          return std::pair(from, length / bins);
        };
        const auto [x0, bin_w] = side(0, 3);
        const auto [y0, bin_h] = side(1, 2);
        const double rows = ratio ? 2 : std::ceil(bin_h), columns = ratio ? 2 : std::ceil(bin_w);
        double sum = 0;
        for (double i = 0; i < rows; ++i)
          for (double k = 0; k < columns; ++k) {
            const double y = y0 + static_cast<double>(p[2]) * bin_h + (i + 0.5) * bin_h / rows;
            const double x = x0 + static_cast<double>(p[3]) * bin_w + (k + 0.5) * bin_w / columns;
            if (y < -1 || y > 5 || x < -1 || x > 6) continue;
            sum += tents(in, images.i32()[static_cast<size_t>(p[0])], p[1], clamped(y, 5),
                         clamped(x, 6));
          }
        EXPECT_NEAR(at(out.f32(), out.shape, p), sum / std::max(rows * columns, 1.0), 1e-5);
      });
    }
}

TEST(RoiAlign, ImagesInTheRegions) {
  Random random(4);
  const Array in = random.fine({2, 1, 4, 4});
  const Array disjoint = run1("roi_align", {in, floats({1, 4}, {0, 0, 3, 3}), integers({1}, {1})});
  const Array together = run1("roi_align", {in, floats({1, 5}, {1, 0, 0, 3, 3})});
  EXPECT_EQ(disjoint.f32(), together.f32());
  EXPECT_THAT(failure("roi_align", {in, floats({1, 5}, {2, 0, 0, 3, 3})}),
              HasSubstr("in one of the images"));
  EXPECT_THAT(failure("roi_align", {in, floats({1, 5}, {kNan, 0, 0, 3, 3})}),
              HasSubstr("image is a number"));
  EXPECT_THAT(failure("roi_align", {in, floats({1, 5}, {0, 0, 0, 1e30F, 3})}),
              HasSubstr("at most 4096"));
  EXPECT_THAT(failure("roi_align", {in, floats({1, 5}, {0, kNan, 0, 1, 3})}), HasSubstr("finite"));
  EXPECT_EQ(run1("roi_align", {in, floats({0, 5}, {})}).shape, (Shape{0, 1, 1, 1}));
  EXPECT_THAT(failure("roi_align mode=max", {in, floats({0, 5}, {})}),
              HasSubstr("no such parameter"));
}

TEST(DeformableGather, TapsPlusOffsets) {
  Random random(5);
  const Array in = random.fine({2, 4, 5, 6});
  // kernel 2x3, stride 2x1, pad 1x0, dilation 1x2: output 3x2
  const int64_t taps = 6, groups = 2, oh = 3, ow = 2;
  Array offsets = random.fine({2, 2 * groups * taps, oh, ow});
  std::get<0>(offsets.values)[3] = kNan;  // outside: 0
  std::get<0>(offsets.values)[4] = kInf;
  const Array masks = random.fine({2, groups * taps, oh, ow});
  const std::string text =
      "deformable_gather kernel_h=2 kernel_w=3 stride_h=2 pad_h=1 dilation_w=2 offset_groups=2";
  const Array plain = run1(text, {in, offsets}), masked = run1(text, {in, offsets, masks});
  ASSERT_EQ(plain.shape, (Shape{2, 4 * taps, oh, ow}));
  for_each_place(plain.shape, [&](const std::vector<int64_t>& p) {
    const int64_t channel = p[1] / taps, tap = p[1] % taps, group = channel / 2;
    const auto offset = [&](int64_t which) {
      return double{
          at(offsets.f32(), offsets.shape, {p[0], 2 * (group * taps + tap) + which, p[2], p[3]})};
    };
    const double y = static_cast<double>(p[2] * 2 - 1 + tap / 3) + offset(0);
    const double x = static_cast<double>(p[3] + tap % 3 * 2) + offset(1);
    const double value = std::isfinite(y) && std::isfinite(x) ? tents(in, p[0], channel, y, x) : 0;
    EXPECT_NEAR(at(plain.f32(), plain.shape, p), value, 1e-5);
    EXPECT_NEAR(at(masked.f32(), masked.shape, p),
                value * at(masks.f32(), masks.shape, {p[0], group * taps + tap, p[2], p[3]}), 1e-5);
  });
  EXPECT_THAT(failure("deformable_gather kernel_h=2 kernel_w=3", {in, offsets}),
              HasSubstr("offsets are"));
  EXPECT_THAT(failure("deformable_gather kernel_h=2", {in, offsets}), HasSubstr("kernel_w"));
}

}  // namespace
}  // namespace tputwin::testing
