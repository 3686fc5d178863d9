// Streams of whole layers, and the container around them.
#include "common/built_bmodel.h"

#include <cstring>

#include "base/bits.h"
#include "numerics/float16.h"
#include "ops/operation.h"

namespace tputwin::testing {

namespace b168x = bmodel::bm168x;

namespace {

constexpr uint64_t kNeurons = uint64_t{1} << 29;  // after all weights
constexpr uint64_t kAlignment = 128;

Window window_of(const BuiltBmodel::Square& square) {
  const Axis axis{.kernel = square.kernel,
                  .stride = square.stride,
                  .pad_before = square.pad,
                  .pad_after = square.pad};
  return {axis, axis};
}
Shape under(const Window& window, const Shape& in, uint32_t channels) {
  return {in.n, channels, window.h.output(in.h), window.w.output(in.w)};
}

b168x::ElementType element_type(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return b168x::ElementType::f16;
    case DType::i8:
      return b168x::ElementType::i8;
    case DType::u8:
      return b168x::ElementType::u8;
    default:
      return b168x::ElementType::f32;
  }
}

}  // namespace

BuiltBmodel::BuiltBmodel(std::string name, const Chip& chip, DType dtype, uint8_t pack,
                         uint64_t seed)
    : program_(chip), name_(std::move(name)), dtype_(dtype), pack_(pack), rng_(seed) {
  coefficients_.resize(b168x::compiled_base(chip) - chip.global_base);  // the firmware's part
}

uint64_t BuiltBmodel::bytes(const Map& map) const {
  return map.shape.count() * element_bytes(map.dtype);
}

BuiltBmodel::Map BuiltBmodel::map(const Shape& shape, DType dtype) {
  const Map result{shape, dtype, kNeurons + neurons_};
  neurons_ += align_up(align_up(shape.n, pack_) / shape.n * bytes(result), uint64_t{4096});
  return result;
}

BuiltBmodel::Map BuiltBmodel::input(const Shape& shape) { return input_ = map(shape, dtype_); }

TensorView BuiltBmodel::loaded(const Map& map) {
  const TensorView view = lanes(map);
  program_.load(view, map.address);
  return view;
}
void BuiltBmodel::store(const Map& map, const TensorView& from) {
  program_.store(from, map.address);
  program_.free_lanes();  // the next layer reuses the lanes
}

TensorView BuiltBmodel::weights(const Shape& shape, DType dtype, uint8_t pack) {
  const TensorView view = program_.lanes(shape, dtype, /*aligned=*/false, pack);
  const uint64_t at = coefficients_.size(), size = element_bytes(dtype);
  const uint64_t count = Shape{cells(view) * pack, shape.c, shape.h, shape.w}.count();
  coefficients_.resize(align_up(at + count * size, kAlignment));
  for (uint64_t i = 0; i < count; ++i) {
    const float value = (static_cast<float>(rng_.below(2048)) - 1023.5f) / 16384.0f;
    const uint32_t bits = dtype == DType::f32   ? f32::bits(value)
                          : dtype == DType::f16 ? f16::from_f32(value)
                                                : static_cast<uint32_t>(rng_.below(64)) - 32;
    std::memcpy(coefficients_.data() + at + i * size, &bits, size);
  }
  program_.load(view, at);
  return view;
}

void BuiltBmodel::clamp(const TensorView& view) {
  program_.add(FloatArithmetic{.kind = FloatArithmetic::Kind::max,
                               .out = view,
                               .a = Source::tensor(view),
                               .b = Source::value(0u, view.dtype)});
}

void BuiltBmodel::add_floats(const TensorView& a, const TensorView& b, const TensorView& out) {
  program_.add(FloatArithmetic{.kind = FloatArithmetic::Kind::add,
                               .out = out,
                               .a = Source::tensor(a),
                               .b = Source::tensor(b)});
  clamp(out);
}

BuiltBmodel::Map BuiltBmodel::conv(const Map& in, uint32_t channels, const Square& square,
                                   bool relu) {
  const Window window = window_of(square);
  const Map out = map(under(window, in.shape, channels), conv_type(relu));
  const TensorView from = loaded(in), to = lanes(out);
  compute_conv(from, to, window, relu);
  store(out, to);
  return out;
}

BuiltBmodel::Map BuiltBmodel::max_pool(const Map& in, const Square& square) {
  const Window window = window_of(square);
  const Map out = map(under(window, in.shape, in.shape.c), in.dtype);
  const TensorView from = loaded(in), to = lanes(out);
  compute_maximum(from, to, window);
  store(out, to);
  return out;
}

BuiltBmodel::Map BuiltBmodel::average_pool(const Map& in) {
  const Window window{{.kernel = in.shape.h}, {.kernel = in.shape.w}};
  const Map out = map({in.shape.n, in.shape.c, 1, 1}, in.dtype);
  const TensorView from = loaded(in), to = lanes(out);
  compute_average(from, to, window);
  store(out, to);
  return out;
}

BuiltBmodel::Map BuiltBmodel::add(const Map& a, const Map& b) {
  const TensorView left = loaded(a), right = loaded(b);
  const Map out = map(a.shape, dtype_);
  const TensorView sum = lanes(out);
  compute_sum(left, right, sum);
  store(out, sum);
  return out;
}

std::unique_ptr<b168x::TensorT> BuiltBmodel::tensor(const char* name, const Map& map) const {
  auto result = std::make_unique<b168x::TensorT>();
  result->name = name;
  result->data_type = static_cast<uint32_t>(element_type(map.dtype));
  result->gmem_stmode = static_cast<int32_t>(pack_ == 4 ? b168x::Storage::n4 : b168x::Storage::n1);
  auto shape = std::make_unique<b168x::ShapeT>();
  shape->dim = {map.shape.n, map.shape.c, map.shape.h, map.shape.w};
  result->shape.push_back(std::move(shape));
  result->device_addr = program_.chip().global_base + map.address;
  result->size = bytes(map);
  result->scale = 1;
  return result;
}

Result<std::vector<uint8_t>> BuiltBmodel::file(const Map& output) const {
  const Chip& chip = program_.chip();
  const uint64_t unused = b168x::compiled_base(chip) - chip.global_base;
  std::vector<uint8_t> binary(coefficients_.begin() + static_cast<ptrdiff_t>(unused),
                              coefficients_.end());
  auto stage = std::make_unique<b168x::NetParameterT>();
  stage->input_tensor.push_back(tensor("in", input_));
  stage->output_tensor.push_back(tensor("out", output));
  stage->ctx_addr = chip.global_base + kNeurons;
  stage->ctx_size = neurons_;
  stage->coeff_mem = std::make_unique<b168x::CoeffMemT>();
  stage->coeff_mem->address = b168x::compiled_base(chip);
  stage->coeff_mem->binary_coeff = std::make_unique<b168x::Binary>(0, binary.size());
  TW_ASSIGN_OR_RETURN(group, program_.group(binary));
  stage->cmd_group.push_back(std::move(group));
  auto net = std::make_unique<b168x::NetT>();
  net->name = name_;
  net->parameter.push_back(std::move(stage));
  b168x::ModelT model;
  model.type = "test", model.version = "2.2", model.time = "now", model.chip = chip.name;
  model.neuron_size = neurons_;
  model.net.push_back(std::move(net));
  return b168x::write(model, binary);
}

namespace {

BuiltBmodel::Map stem(BuiltBmodel& net, uint32_t images) {
  const auto first = net.conv(net.input({images, 3, 224, 224}), 64, {7, 2, 3}, true);
  return net.max_pool(first, {3, 2, 1});
}

}  // namespace

BuiltBmodel::Map add_resnet50(BuiltBmodel& net, uint32_t images) {
  auto map = stem(net, images);
  const uint32_t blocks[] = {3, 4, 6, 3};
  for (uint32_t level = 0; level < 4; ++level)
    for (uint32_t block = 0; block < blocks[level]; ++block) {
      const uint32_t width = 64u << level, stride = block == 0 && level != 0 ? 2 : 1;
      const auto shortcut = block == 0 ? net.conv(map, 4 * width, {1, stride, 0}, false) : map;
      auto branch = net.conv(map, width, {1, 1, 0}, true);
      branch = net.conv(branch, width, {3, stride, 1}, true);
      map = net.add(net.conv(branch, 4 * width, {1, 1, 0}, false), shortcut);
    }
  return net.conv(net.average_pool(map), 1000, {1, 1, 0}, false);
}

BuiltBmodel::Map add_resnet18(BuiltBmodel& net, uint32_t images) {
  auto map = stem(net, images);
  for (uint32_t level = 0; level < 4; ++level)
    for (uint32_t block = 0; block < 2; ++block) {
      const uint32_t width = 64u << level, stride = block == 0 && level != 0 ? 2 : 1;
      const auto shortcut = stride == 2 ? net.conv(map, width, {1, 2, 0}, false) : map;
      const auto branch = net.conv(map, width, {3, stride, 1}, true);
      map = net.add(net.conv(branch, width, {3, 1, 1}, false), shortcut);
    }
  return net.conv(net.average_pool(map), 1000, {1, 1, 0}, false);
}

}  // namespace tputwin::testing
