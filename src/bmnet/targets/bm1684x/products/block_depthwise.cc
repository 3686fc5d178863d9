// Blocks of channels of a window by channel.
#include "bmnet/targets/bm1684x/products/block_depthwise.h"

#include "ops/conv/weights_bm1684x.h"

namespace tputwin::net::bm1684x {
namespace {

// Groups of input channels of a block. A block of few channels has weights of as many.
int64_t groups_of_block(DType type) { return ceil_div(chip().lanes, weight_group(type)); }

}  // namespace

Weight BlockDepthwise::identity(DType type) {
  const int64_t lanes = chip().lanes;
  std::vector<float> values(static_cast<size_t>(lanes * lanes));
  for (int64_t i = 0; i < lanes; ++i) values[static_cast<size_t>(i * lanes + i)] = 1;
  return {.bytes = bytes_of(values, type),
          .e = {1, lanes, 1, lanes},
          .by_channel = false,
          .type = type};
}

int64_t BlockDepthwise::scratch_bytes(const Extents&) const {
  return groups_of_block(type()) * taps() * weight_group(type()) * element_bytes(type());
}

void BlockDepthwise::emit(StreamProgram& program, const Operands& o) const {
  const int64_t lanes = chip().lanes, channels = o.output.e.c;
  for (int64_t block = 0; block < ceil_div(channels, lanes); ++block) {
    const int64_t count = std::min(lanes, channels - block * lanes);
    emit_weights(program, o, block, count);
    for (int64_t n = 0; n < o.output.e.n; ++n) emit_block(program, o, n, block, count);
  }
  if (do_relu) emit_relu(program, out_view(o));
}

// Multiplies over (groups of input channels, output channels, taps, input channels of a group).
void BlockDepthwise::emit_weights(StreamProgram& program, const Operands& o, int64_t block,
                                  int64_t count) const {
  const uint32_t size = element_bytes(type()), group = weight_group(type());
  const auto tap_count = static_cast<uint32_t>(taps());
  TensorView to = compact(o.scratch, {1, count, 1, 1}, type());
  to.shape = {static_cast<uint32_t>(groups_of_block(type())), static_cast<uint32_t>(count),
              tap_count, group};
  to.stride = {tap_count * group * size, 0, group * size, size};
  TensorView own = to, ones = to;
  own.address = o.weights[0].address + static_cast<uint64_t>(block * taps() * size);
  own.stride = {0, 0, size, 0};
  ones.address = o.weights[1].address;
  ones.stride = {group * size, 0, 0, size};
  program.add(FloatArithmetic{.kind = FloatArithmetic::Kind::mul,
                              .out = to,
                              .a = Source::tensor(own),
                              .b = Source::tensor(ones)});
}

void BlockDepthwise::emit_block(StreamProgram& program, const Operands& o, int64_t sample,
                                int64_t block, int64_t count) const {
  const auto part = [&](const TensorView& all, const Local& local) {
    Extents e = local.e;
    e.n = 1;
    e.c = count;
    const auto offset =
        static_cast<uint64_t>(sample) * all.stride.n + static_cast<uint64_t>(block) * all.stride.c;
    return aligned(static_cast<uint32_t>(all.address + offset), e, all.dtype);
  };
  const int64_t group = weight_group(type()), rows = ceil_div(count, group) * taps();
  Conv2dBm1684xFloat op{
      .out = part(out_view(o), o.output),
      .in = part(in_view(o), o.inputs[0]),
      .weight = Source::tensor(compact(o.scratch, {1, count, rows, group}, type())),
      .window = window_of_tile(o)};
  constexpr uint64_t kBiasBytes = 4;
  if (weights.size() > 2)
    op.bias = compact(o.weights[2].address + static_cast<uint32_t>(block * kBiasBytes),
                      {1, count, 1, 1}, DType::f32);
  program.add(op);
}

}  // namespace tputwin::net::bm1684x
