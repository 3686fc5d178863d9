// Whole-layer streams and the container around them.
#include "common/built_bmodel.h"

#include <cstring>

#include "base/bits.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "memory/layout.h"
#include "memory/normal_stride.h"
#include "numerics/float16.h"
#include "ops/conv/weights_bm1684x.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kNeurons = uint64_t{1} << 29;  // behind all weights
constexpr uint64_t kAlignment = 128;
const Chip& chip() { return bm1684x(); }

}  // namespace

BuiltBmodel::BuiltBmodel(std::string name, DType dtype, uint64_t seed)
    : name_(std::move(name)), dtype_(dtype), rng_(seed) {}

BuiltBmodel::Map BuiltBmodel::map(const Shape& shape) {
  const Map result{shape, kNeurons + neurons_};
  neurons_ += align_up(bytes(shape), uint64_t{4096});
  return result;
}

BuiltBmodel::Map BuiltBmodel::input(const Shape& shape) { return input_ = map(shape); }

TensorView BuiltBmodel::lanes(const Shape& shape, DType dtype, bool aligned) {
  TensorView view{.space = Space::local, .dtype = dtype, .address = lane_bytes_, .shape = shape};
  view.plane_stride = is_16bit(dtype) ? 1 : 0;
  view.stride = lane_stride(chip(), shape, 0, element_bytes(dtype), aligned);
  lane_bytes_ = align_up(lane_bytes_ + uint64_t{shape.n} * view.stride.n, kAlignment);
  drop_meaningless(view.stride, shape, ceil_div(shape.c, chip().lanes));
  return view;
}

TensorView BuiltBmodel::global(uint64_t address, const Shape& shape, DType dtype) const {
  TensorView view{.space = Space::global, .dtype = dtype, .address = address, .shape = shape};
  view.plane_stride = is_16bit(dtype) ? 1 : 0;
  view.stride = system_stride(shape, element_bytes(dtype));
  drop_meaningless(view.stride, shape, shape.c);
  return view;
}

void BuiltBmodel::issue(Operation op, Engine engine) {
  const bool dma = engine == Engine::dma;
  program_.push_back({std::move(op), engine, ++issued_[dma], issued_[!dma]});
}
void BuiltBmodel::compute(Operation op) { issue(std::move(op), Engine::compute); }
void BuiltBmodel::load(const TensorView& to, uint64_t address) {
  issue(Copy{.dst = to, .src = Source::tensor(global(address, to.shape, to.dtype))}, Engine::dma);
}
void BuiltBmodel::store(const Map& map, const TensorView& from) {
  issue(Copy{.dst = global(map.address, map.shape, dtype_), .src = Source::tensor(from)},
        Engine::dma);
  lane_bytes_ = 0;  // the next layer begins anew
}

// Random ones, behind the others in global memory, and loaded.
TensorView BuiltBmodel::weights(const Shape& shape, DType dtype) {
  const TensorView view = lanes(shape, dtype, /*aligned=*/false);
  const uint64_t at = coefficients_.size(), size = element_bytes(dtype);
  coefficients_.resize(align_up(at + shape.count() * size, kAlignment));
  for (uint64_t i = 0; i < shape.count(); ++i) {
    const float value = (static_cast<float>(rng_.below(2048)) - 1023.5f) / 16384.0f;
    const uint32_t bits = dtype == DType::f16 ? f16::from_f32(value) : f32::bits(value);
    std::memcpy(coefficients_.data() + at + i * size, &bits, size);
  }
  load(view, at);
  return view;
}

void BuiltBmodel::clamp(const TensorView& view) {
  compute(FloatArithmetic{.kind = FloatArithmetic::Kind::max,
                          .out = view,
                          .a = Source::tensor(view),
                          .b = Source::value(0u, view.dtype)});
}

BuiltBmodel::Map BuiltBmodel::conv(const Map& in, uint32_t channels, const Square& square,
                                   bool relu) {
  Conv2dBm1684xFloat op;
  op.in = lanes(in.shape, dtype_);
  load(op.in, in.address);
  op.window.h = op.window.w = {.kernel = square.kernel,
                               .stride = square.stride,
                               .pad_before = square.pad,
                               .pad_after = square.pad};
  const Map out =
      map({in.shape.n, channels, op.window.h.output(in.shape.h), op.window.w.output(in.shape.w)});
  op.weight =
      Source::tensor(weights(weight_shape(in.shape.c, channels, op.window, dtype_), dtype_));
  op.bias = weights({1, channels, 1, 1}, DType::f32);
  op.out = lanes(out.shape, dtype_);
  compute(op);
  if (relu) clamp(op.out);
  store(out, op.out);
  return out;
}

BuiltBmodel::Map BuiltBmodel::max_pool(const Map& in, const Square& square) {
  Pool2dBm1684xFloat op;
  op.in = lanes(in.shape, dtype_);
  load(op.in, in.address);
  op.window.h = op.window.w = {.kernel = square.kernel,
                               .stride = square.stride,
                               .pad_before = square.pad,
                               .pad_after = square.pad};
  const Map out =
      map({in.shape.n, in.shape.c, op.window.h.output(in.shape.h), op.window.w.output(in.shape.w)});
  op.out = lanes(out.shape, dtype_);
  compute(op);
  store(out, op.out);
  return out;
}

BuiltBmodel::Map BuiltBmodel::average_pool(const Map& in) {
  Pool2dBm1684xFloat op;
  op.kind = Pool2dBm1684xFloat::Kind::average;
  op.in = lanes(in.shape, dtype_);
  load(op.in, in.address);
  op.window.h = {.kernel = in.shape.h};
  op.window.w = {.kernel = in.shape.w};
  const float share = 1.0f / static_cast<float>(in.shape.h * in.shape.w);
  op.factor = dtype_ == DType::f16 ? f16::from_f32(share) : f32::bits(share);
  const Map out = map({in.shape.n, in.shape.c, 1, 1});
  op.out = lanes(out.shape, dtype_);
  compute(op);
  store(out, op.out);
  return out;
}

BuiltBmodel::Map BuiltBmodel::add(const Map& a, const Map& b) {
  const TensorView left = lanes(a.shape, dtype_), right = lanes(b.shape, dtype_);
  load(left, a.address);
  load(right, b.address);
  const Map out = map(a.shape);
  const TensorView sum = lanes(a.shape, dtype_);
  compute(FloatArithmetic{.kind = FloatArithmetic::Kind::add,
                          .out = sum,
                          .a = Source::tensor(left),
                          .b = Source::tensor(right)});
  clamp(sum);
  store(out, sum);
  return out;
}

Result<std::vector<uint8_t>> BuiltBmodel::file(const Map& output) const {
  using namespace bmodel::bm168x;
  TW_ASSIGN_OR_RETURN(streams, isa::encode_streams(program_, chip()));
  std::vector<uint8_t> binary = coefficients_;
  const auto part = [&](const std::vector<uint8_t>& bytes) {
    binary.resize(align_up(binary.size(), size_t{4096}));
    auto place = std::make_unique<Binary>(binary.size(), bytes.size());
    binary.insert(binary.end(), bytes.begin(), bytes.end());
    return place;
  };
  const auto tensor = [&](const char* name, const Map& map) {
    auto result = std::make_unique<TensorT>();
    result->name = name;
    result->data_type =
        static_cast<uint32_t>(dtype_ == DType::f16 ? ElementType::f16 : ElementType::f32);
    auto shape = std::make_unique<bmodel::bm168x::ShapeT>();
    shape->dim = {map.shape.n, map.shape.c, map.shape.h, map.shape.w};
    result->shape.push_back(std::move(shape));
    result->device_addr = chip().global_base + map.address;
    result->size = bytes(map.shape);
    result->scale = 1;
    return result;
  };
  auto group = std::make_unique<CmdGroupT>();
  TW_ASSIGN_OR_RETURN(tiu, isa::count_commands(Engine::compute, streams.tiu, chip()));
  TW_ASSIGN_OR_RETURN(gdma, isa::count_commands(Engine::dma, streams.gdma, chip()));
  group->bdc_num = tiu, group->gdma_num = gdma;
  group->binary_bdc = part(streams.tiu);
  group->binary_gdma = part(streams.gdma);
  auto stage = std::make_unique<NetParameterT>();
  stage->input_tensor.push_back(tensor("in", input_));
  stage->output_tensor.push_back(tensor("out", output));
  stage->ctx_addr = chip().global_base + kNeurons;
  stage->ctx_size = neurons_;
  stage->coeff_mem = std::make_unique<CoeffMemT>();
  stage->coeff_mem->address = compiled_base(chip());
  stage->coeff_mem->binary_coeff = std::make_unique<Binary>(0, coefficients_.size());
  stage->cmd_group.push_back(std::move(group));
  auto net = std::make_unique<NetT>();
  net->name = name_;
  net->parameter.push_back(std::move(stage));
  ModelT model;
  model.type = "test", model.version = "2.2", model.time = "now", model.chip = "BM1684X";
  model.neuron_size = neurons_;
  model.net.push_back(std::move(net));
  return write(model, binary);
}

namespace {

BuiltBmodel::Map stem(BuiltBmodel& net) {
  const auto first = net.conv(net.input({1, 3, 224, 224}), 64, {7, 2, 3}, true);
  return net.max_pool(first, {3, 2, 1});
}

}  // namespace

BuiltBmodel::Map add_resnet50(BuiltBmodel& net) {
  auto map = stem(net);
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

BuiltBmodel::Map add_resnet18(BuiltBmodel& net) {
  auto map = stem(net);
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
