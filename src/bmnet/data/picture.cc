// Conversion of pictures to samples: decoding, scaling, cropping, means.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "base/errors/bmnet.h"
#include "bmnet/data/decode.h"
#include "bmnet/data/readers.h"

namespace tputwin::net {
namespace {

std::string describe_extents(const Extents& e) { return fmt::format("({},{},{})", e.c, e.h, e.w); }

Picture resize(const Picture& picture, int64_t height, int64_t width) {
  const Extents& from = picture.extents;
  Picture result{{1, from.c, height, width}, std::vector<float>(from.c * height * width)};
  for (int64_t c = 0; c < from.c; ++c) {
    const cv::Mat plane(static_cast<int>(from.h), static_cast<int>(from.w), CV_32F,
                        const_cast<float*>(&picture.values[c * from.h * from.w]));
    cv::Mat scaled(static_cast<int>(height), static_cast<int>(width), CV_32F,
                   &result.values[c * height * width]);
    cv::resize(plane, scaled, scaled.size(), 0, 0, cv::INTER_LINEAR);
  }
  return result;
}

// Converts an image of bytes, stored as rows of channels, to planes.
Picture planes(const cv::Mat& image, bool rgb) {
  const int64_t channels = image.channels();
  Picture picture{{1, channels, image.rows, image.cols}, {}};
  picture.values.resize(picture.extents.count());
  const size_t plane = static_cast<size_t>(image.rows) * image.cols;
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x)
      for (int64_t c = 0; c < channels; ++c)
        picture.values[(rgb ? channels - 1 - c : c) * plane + static_cast<size_t>(y) * image.cols +
                       x] = image.ptr(y)[x * channels + c];
  return picture;
}

}  // namespace

Error data_error(const std::string& name, std::string detail) {
  return Error(errors::net_data).in("data set").argument("file", name).detail(std::move(detail));
}

bool is_picture_name(const std::string& name) {
  std::string extension = std::filesystem::path(name).extension();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  constexpr std::array kKnown{".jpg", ".jpeg", ".png",  ".bmp", ".ppm",
                              ".pgm", ".tif",  ".tiff", ".webp"};
  return std::ranges::find(kKnown, extension) != kKnown.end();
}

Result<Picture> decode_picture(std::span<const uint8_t> file, int64_t channels, bool rgb,
                               const std::string& name) {
  if (channels != 1 && channels != 3)
    return Error(errors::net_data_shape)
        .in("data set")
        .argument("file", name)
        .detail(fmt::format("a picture has 1 or 3 channels, the net's input {}", channels));
  TW_ASSIGN_OR_RETURN(image, decode_file(file, channels == 1, name));
  return planes(image, rgb);
}

Result<Picture> picture_of(std::span<const uint8_t> pixels, const Extents& extents,
                           int64_t channels, bool rgb) {
  const bool known = (extents.c == 1 || extents.c == 3) && (channels == 1 || channels == 3);
  if (!known || static_cast<int64_t>(pixels.size()) != extents.count() || pixels.empty())
    return Error(errors::net_data_shape)
        .in("picture")
        .argument("pixels", fmt::format("{} bytes, {}", pixels.size(), describe_extents(extents)))
        .detail(fmt::format("1 or 3 channels; the net's input has {}", channels));
  const cv::Mat given(static_cast<int>(extents.h), static_cast<int>(extents.w),
                      CV_8UC(static_cast<int>(extents.c)), const_cast<uint8_t*>(pixels.data()));
  if (extents.c == channels) return planes(given, rgb);
  cv::Mat converted;
  cv::cvtColor(given, converted, channels == 1 ? cv::COLOR_BGR2GRAY : cv::COLOR_GRAY2BGR);
  return planes(converted, rgb);
}

Status apply_mean_and_scale(const DataOptions& o, int64_t top, int64_t left,
                            std::span<float> values) {
  const auto fits = [&](const std::vector<float>& list) {
    return list.size() <= 1 || static_cast<int64_t>(list.size()) == o.shape.c;
  };
  if (!fits(o.mean) || !fits(o.scale))
    return Error(errors::net_data_shape)
        .in("data set")
        .argument("mean, scale", fmt::format("{}, {} values", o.mean.size(), o.scale.size()))
        .detail(fmt::format("one, or one for each of {} channels", o.shape.c));
  const auto of = [](const std::vector<float>& list, int64_t c, float otherwise) {
    return list.empty() ? otherwise : list[list.size() == 1 ? 0 : c];
  };
  const bool image = !o.mean_image.empty();
  if (image && (o.mean_shape.c != o.shape.c || o.mean_shape.h < top + o.shape.h ||
                o.mean_shape.w < left + o.shape.w ||
                static_cast<int64_t>(o.mean_image.size()) <
                    o.mean_shape.c * o.mean_shape.h * o.mean_shape.w))
    return Error(errors::net_data_shape)
        .in("data set")
        .argument("mean image", describe_extents(o.mean_shape));
  size_t i = 0;
  for (int64_t c = 0; c < o.shape.c; ++c)
    for (int64_t y = 0; y < o.shape.h; ++y)
      for (int64_t x = 0; x < o.shape.w; ++x, ++i) {
        float mean = of(o.mean, c, 0);
        if (image) mean = o.mean_image[(c * o.mean_shape.h + y + top) * o.mean_shape.w + x + left];
        values[i] = (values[i] - mean) * of(o.scale, c, 1);
      }
  return {};
}

Placement place(const Extents& picture, const DataOptions& options) {
  const Extents& to = options.shape;
  if (options.letterbox) {
    const double scale = std::min(static_cast<double>(to.h) / static_cast<double>(picture.h),
                                  static_cast<double>(to.w) / static_cast<double>(picture.w));
    const auto scaled = [scale](int64_t extent, int64_t most) {
      return std::clamp<int64_t>(std::lround(static_cast<double>(extent) * scale), 1, most);
    };
    const int64_t height = scaled(picture.h, to.h), width = scaled(picture.w, to.w);
    return {height, width, (to.h - height) / 2, (to.w - width) / 2};
  }
  int64_t height = options.resize_h, width = options.resize_w;
  if (height <= 0 || width <= 0) {
    height = options.crop ? picture.h : to.h;
    width = options.crop ? picture.w : to.w;
  }
  return {height, width, -((height - to.h) / 2), -((width - to.w) / 2)};
}

Status prepare(const Picture& given, const DataOptions& options, const std::string& name,
               std::span<float> values) {
  const Extents& to = options.shape;
  const auto wrong = [&](const Extents& extents) {
    return Error(errors::net_data_shape)
        .in("data set")
        .argument(name, describe_extents(extents))
        .detail("the net's input is " + describe_extents(to));
  };
  if (given.extents.c != to.c || static_cast<int64_t>(values.size()) != to.c * to.h * to.w)
    return wrong(given.extents);
  const Placement at = place(given.extents, options);
  if (!is_picture_size(at.height, at.width)) return wrong({1, to.c, at.height, at.width});
  const bool same = at.height == given.extents.h && at.width == given.extents.w;
  Picture scaled;
  if (!same) scaled = resize(given, at.height, at.width);
  const Picture& picture = same ? given : scaled;
  if (!options.letterbox && (at.height < to.h || at.width < to.w)) return wrong(picture.extents);
  if (options.letterbox) std::ranges::fill(values, options.border);
  const int64_t rows = std::min(to.h, at.height), columns = std::min(to.w, at.width);
  const int64_t top = std::max<int64_t>(at.top, 0), left = std::max<int64_t>(at.left, 0);
  for (int64_t c = 0; c < to.c; ++c)
    for (int64_t y = 0; y < rows; ++y)
      std::copy_n(&picture.values[(c * at.height + y + top - at.top) * at.width + left - at.left],
                  columns, &values[(c * to.h + y + top) * to.w + left]);
  return apply_mean_and_scale(options, top - at.top, left - at.left, values);
}

}  // namespace tputwin::net
