// Conversion of pictures to a net's input, and of its outputs to results.
#include "tools/vision/viewer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/errors/tools.h"
#include "bmnet/data/readers.h"
#include "numerics/float16.h"

namespace tputwin::tools {
namespace {

template <class T>
T element(const Array& array, size_t index) {
  T value;
  std::memcpy(&value, &array.bytes[index * sizeof value], sizeof value);
  return value;
}

double number(const Array& array, size_t index) {
  switch (array.element_bytes) {
    case 1:
      return array.kind == 'u' ? element<uint8_t>(array, index) : element<int8_t>(array, index);
    case 2:
      if (array.kind == 'f') return f16::to_f32(element<uint16_t>(array, index));
      return array.kind == 'u' ? element<uint16_t>(array, index) : element<int16_t>(array, index);
    default:
      if (array.kind == 'f') return element<float>(array, index);
      return array.kind == 'u' ? element<uint32_t>(array, index) : element<int32_t>(array, index);
  }
}

// Returns the axis that counts the pictures of a batch: the first whose extent is not 1, if that is
// the batch. Without one, an output belongs to all pictures.
std::optional<size_t> batch_axis(const std::vector<uint64_t>& shape, size_t batch) {
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] == batch || shape[axis] != 1)
      return shape[axis] == batch ? std::optional(axis) : std::nullopt;
  return std::nullopt;
}

Array part_of(const Array& array, size_t batch, size_t image) {
  const auto axis = batch_axis(array.shape, batch);
  if (!axis) return array;
  const size_t bytes = array.bytes.size() / batch;
  Array part{array.kind, array.element_bytes, array.shape, {}};
  part.shape[*axis] = 1;
  const auto begin = array.bytes.begin() + static_cast<std::ptrdiff_t>(image * bytes);
  part.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(bytes));
  return part;
}

OutputView view_of(const std::string& name, const std::vector<uint64_t>& shape,
                   std::span<const float> values, size_t batch, size_t image) {
  const auto axis = batch_axis(shape, batch);
  if (!axis) return {name, shape, values};
  const size_t count = values.size() / batch;
  return {name,
          {shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, shape.end()},
          values.subspan(image * count, count)};
}

// Converts boxes of the sample to pixels of the picture, clipped to it.
void place_back(std::vector<Detection>& boxes, const net::Extents& picture,
                const net::DataOptions& preparation) {
  const net::Placement at = net::place(picture, preparation);
  const auto back = [](float& value, int64_t corner, int64_t scaled, int64_t extent) {
    const auto most = static_cast<float>(extent);
    value = (value - static_cast<float>(corner)) * most / static_cast<float>(scaled);
    value = std::clamp(value, 0.0f, most);
  };
  for (Detection& box : boxes) {
    for (float* x : {&box.x1, &box.x2}) back(*x, at.left, at.width, picture.w);
    for (float* y : {&box.y1, &box.y2}) back(*y, at.top, at.height, picture.h);
  }
}

net::Extents extents_of(const cv::Mat& pixels) {
  return {1, pixels.channels(), pixels.rows, pixels.cols};
}

std::string shapes_of(const std::vector<NetTensor>& inputs) {
  std::string text;
  for (const NetTensor& input : inputs)
    text +=
        fmt::format("{}{} ({})", text.empty() ? "" : ", ", input.name, fmt::join(input.shape, ","));
  return text;
}

}  // namespace

std::vector<float> floats_of(const Array& array, const NetTensor& tensor) {
  std::vector<float> values(array.count());
  const bool is_integer = array.kind != 'f' && tensor.step != 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = number(array, i);
    values[i] = static_cast<float>(is_integer ? (value - tensor.zero_point) * tensor.step : value);
  }
  return values;
}

Result<Viewer> Viewer::create(Net& net, ViewOptions options) {
  const auto& inputs = net.inputs();
  const bool fits = inputs.size() == 1 && inputs[0].shape.size() == 4 &&
                    (inputs[0].shape[1] == 1 || inputs[0].shape[1] == 3);
  if (!fits)
    return Error(errors::cli_inputs)
        .in(net.name())
        .argument("inputs", shapes_of(inputs))
        .detail("nets of one input (n,c,h,w) of 1 or 3 channels look at pictures");
  Viewer viewer(net, std::move(options));
  const auto& shape = inputs[0].shape;
  viewer.batch_ = shape[0];
  net::Extents& sample = viewer.options_.description.preparation.shape;
  sample = {1, static_cast<int64_t>(shape[1]), static_cast<int64_t>(shape[2]),
            static_cast<int64_t>(shape[3])};
  if (viewer.options_.description.detections.transposed) std::swap(sample.h, sample.w);
  return viewer;
}

Status Viewer::prepare(const Frame& frame, std::span<float> values) const {
  const net::DataOptions& preparation = options_.description.preparation;
  const int64_t channels = preparation.shape.c;
  auto picture =
      !frame.file.empty()
          ? net::decode_picture(frame.file, channels, preparation.rgb, frame.name)
          : net::picture_of({frame.pixels.data, frame.pixels.total() * frame.pixels.elemSize()},
                            extents_of(frame.pixels), channels, preparation.rgb);
  if (!picture.ok()) return picture.error();
  TW_RETURN_IF_ERROR(net::prepare(*picture, preparation, frame.name, values));
  if (!options_.description.detections.transposed) return {};
  const std::vector<float> upright(values.begin(), values.end());
  const int64_t h = preparation.shape.h, w = preparation.shape.w;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t y = 0; y < h; ++y)
      for (int64_t x = 0; x < w; ++x) values[(c * w + x) * h + y] = upright[(c * h + y) * w + x];
  return {};
}

Result<std::vector<Seen>> Viewer::see(std::span<const Frame> frames) const {
  const NetTensor& input = net_.inputs()[0];
  std::vector<float> values(input.count());
  const size_t each = values.size() / batch_;
  for (size_t i = 0; i < batch_; ++i)
    TW_RETURN_IF_ERROR(
        prepare(frames[std::min(i, frames.size() - 1)], std::span(values).subspan(i * each, each)));
  Array array{'f', 4, input.shape, std::vector<uint8_t>(values.size() * sizeof(float))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  if (const float threshold = options_.description.input_threshold; threshold > 0) {
    array = {'i', 1, input.shape, {}};
    for (const float value : values)
      array.bytes.push_back(static_cast<uint8_t>(quantized(value, threshold)));
  }
  TW_ASSIGN_OR_RETURN(outputs, net_.run({&array, 1}, /*as_float=*/false));
  std::vector<std::vector<float>> floats;
  for (size_t i = 0; i < outputs.size(); ++i)
    floats.push_back(floats_of(outputs[i], net_.outputs()[i]));
  std::vector<Seen> all;
  for (size_t i = 0; i < frames.size(); ++i) {
    TW_ASSIGN_OR_RETURN(one, seen(frames[i], i, outputs, floats));
    all.push_back(std::move(one));
  }
  return all;
}

Result<Seen> Viewer::seen(const Frame& frame, size_t image, std::span<const Array> outputs,
                          std::span<const std::vector<float>> values) const {
  Seen result{.picture = frame.name};
  std::vector<OutputView> views;
  // rows of ssd contain the number of the picture
  const bool numbered = options_.description.detections.kind == DetectionKind::ssd;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NetTensor& tensor = net_.outputs()[i];
    views.push_back(numbered ? OutputView{tensor.name, outputs[i].shape, values[i]}
                             : view_of(tensor.name, outputs[i].shape, values[i], batch_, image));
    result.outputs.push_back(part_of(outputs[i], batch_, image));
  }
  const Description& description = options_.description;
  if (detects()) {
    TW_ASSIGN_OR_RETURN(
        boxes, detect(views, image, description.preparation.shape, description.detections));
    place_back(boxes, extents_of(frame.pixels), description.preparation);
    result.boxes = std::move(boxes);
    return result;
  }
  const auto scores = options_.scores.empty()
                          ? views.begin()
                          : std::ranges::find(views, options_.scores, &OutputView::name);
  if (scores == views.end())
    return Error(errors::cli_detections).argument("--scores", options_.scores);
  result.classes = best(scores->values, options_.top);
  return result;
}

std::string Viewer::label(int label) const {
  const auto& labels = options_.description.labels;
  const auto index = static_cast<size_t>(label);
  return index < labels.size() ? labels[index] : fmt::format("class {}", label);
}

}  // namespace tputwin::tools
