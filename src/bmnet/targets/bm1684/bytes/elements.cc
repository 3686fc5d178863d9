// Layers of bytes that compute element by element, and casts between fp32 and cells.
#include <cmath>

#include "bmnet/targets/bm1684/bytes/byte_kernel.h"
#include "bmnet/targets/bm1684x/views.h"
#include "isa/streams/reader.h"

namespace tputwin::net::bm1684 {
namespace {

using bm1684x::ElementwiseStreamKernel;
using bm1684x::StreamKernel;
using Fixed = FixedPoint::Kind;

Source byte_constant(int value, DType type) {
  return Source::value(static_cast<uint32_t>(value), type);
}

// out = sat(rhu(a * multiplier + old, shift)) in 16 bits; without `adds`, a * multiplier.
void emit_product(StreamProgram& program, const TensorView& sum, const TensorView& a,
                  int multiplier, bool adds, int shift) {
  program.add(FixedPoint{.kind = adds ? Fixed::mac : Fixed::mul,
                         .out = sum,
                         .a = Source::tensor(a),
                         .b = byte_constant(multiplier, DType::i8),
                         .a_type = DType::i8,
                         .b_type = DType::i8,
                         .old_type = DType::i16,
                         .rshift = static_cast<uint32_t>(shift)});
}

// Images of 16 bits, two to a cell.
Extents halves_extents(Extents cells) {
  cells.n *= 2;
  return cells;
}
int64_t tile_bytes(const Extents& e) {
  return bm1684x::local_memory().tensor_bytes({.tensor = {}, .e = e, .type = DType::b32}, e);
}
TensorView halves(uint32_t address, const Extents& cells) {
  const Extents e{cells.n * kImages, cells.c, cells.h, cells.w};
  return isa::CommandReader(bm1684x::chip())
      .dense({"address", address}, bm1684x::shape_of(e), DType::i16, true, 2);
}

// Sums are 16 bits wide until the last one is scaled.
class ByteSum final : public ElementwiseStreamKernel {
 public:
  std::vector<int> multiplier;
  int shift = 0;

  int64_t scratch_bytes(const Extents& e) const override { return tile_bytes(halves_extents(e)); }

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView sum = halves(o.scratch, o.output.e), out = bytes_of(o.output);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_last = i + 1 == inputs.size();
      emit_product(program, sum, bytes_of_cells(rows_view(o, i)), multiplier[i], i > 0,
                   is_last ? shift : 0);
    }
    program.add(FixedPoint{.kind = Fixed::add,
                           .out = out,
                           .a = Source::tensor(sum),
                           .b = byte_constant(0, DType::i8),
                           .a_type = DType::i16,
                           .b_type = DType::i8});
    if (do_relu) emit_byte_relu(program, out);
  }
};

class ByteLargest final : public ElementwiseStreamKernel {
 public:
  std::vector<int> multiplier;
  int shift = 0;

  int64_t scratch_bytes(const Extents& e) const override { return tile_bytes(e); }

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView out = bytes_of(o.output);
    const TensorView other = bytes_of_cells(bm1684x::aligned(o.scratch, o.output.e, DType::b32));
    for (size_t i = 0; i < inputs.size(); ++i) {
      emit_scaled(program, i == 0 ? out : other, bytes_of_cells(rows_view(o, i)), multiplier[i],
                  true, shift);
      if (i == 0) continue;
      program.add(FixedPoint{
          .kind = Fixed::max, .out = out, .a = Source::tensor(out), .b = Source::tensor(other)});
    }
    if (do_relu) emit_byte_relu(program, out);
  }
};

// max(min(sat8(rhu(x * multiplier, shift)), most), least)
class ByteScaled final : public ElementwiseStreamKernel {
 public:
  int multiplier = 1, shift = 0;

  void emit(StreamProgram& program, const Operands& o) const override {
    emit_scaled(program, bytes_of(o.output), bytes_of_cells(rows_view(o, 0)), multiplier, false,
                shift);
  }
};

class ByteRelu final : public ElementwiseStreamKernel {
 public:
  void emit(StreamProgram& program, const Operands& o) const override {
    program.add(FixedPoint{.kind = Fixed::max,
                           .out = bytes_of(o.output),
                           .a = Source::tensor(bytes_of_cells(rows_view(o, 0))),
                           .b = byte_constant(0, DType::i8)});
  }
};

// Extents of fp32 tensors and cells that casts read and write. They follow each other in memory. A
// single image is viewed as other layers view it, so that it may stay in local memory.
View image_view(View floats, int64_t image, int64_t images, const Extents& e) {
  const int64_t sample = e.c * e.h * e.w;
  floats.e = {images, e.c, e.h, e.w};
  floats.type = DType::f32;
  if (image == 0 && images == 1) return floats;
  floats.offset = image * sample * element_bytes(DType::f32);
  floats.steps = ViewSteps{kImages * sample, e.h * e.w, e.w, 1};
  return floats;
}

void emit_bits(StreamProgram& program, Bitwise::Kind kind, const TensorView& to,
               const TensorView& a, const Source& b) {
  const bool shifts = kind == Bitwise::Kind::logical_shift;
  program.add(
      Bitwise{.kind = kind, .out = to, .a = Source::tensor(a), .b = b, .keeps_at_32 = shifts});
}
void emit_bits(StreamProgram& program, Bitwise::Kind kind, const TensorView& to,
               const TensorView& a, uint32_t b) {
  emit_bits(program, kind, to, a, Source::value(b, DType::u32));
}
void emit_real(StreamProgram& program, FloatArithmetic::Kind kind, const TensorView& to,
               const TensorView& a, float b) {
  program.add(
      FloatArithmetic{.kind = kind, .out = to, .a = Source::tensor(a), .b = Source::value(b)});
}

// Bytes of one image as fp32. A byte b in the fraction of 2^23 is 2^23 + b. Its sign bit is
// inverted, which adds 128.
class FromCells final : public ElementwiseStreamKernel {
 public:
  int image = 0;
  float scale = 1;

  void emit(StreamProgram& program, const Operands& o) const override {
    constexpr uint32_t kByte = 0xff, kExponentAndSign = 0x4b00'0080;
    constexpr float kOffset = 0x1p23f + 128;
    const TensorView out = out_view(o), bits = bm1684x::retyped(out, DType::u32);
    TensorView cells = bm1684x::retyped(rows_view(o, 0), DType::u32);
    if (image > 0) {
      emit_bits(program, Bitwise::Kind::logical_shift, bits, cells,
                static_cast<uint32_t>(-8 * image));
      cells = bits;
    }
    emit_bits(program, Bitwise::Kind::bit_and, bits, cells, kByte);
    emit_bits(program, Bitwise::Kind::bit_xor, bits, bits, kExponentAndSign);
    emit_real(program, FloatArithmetic::Kind::sub, out, out, kOffset);
    emit_real(program, FloatArithmetic::Kind::mul, out, out, scale);
  }
};

// Up to four images as cells: sat8(x * scale), rounded half to even. A sum with 1.5 * 2^23 has the
// byte in its lowest bits.
class ToCells final : public ElementwiseStreamKernel {
 public:
  float scale = 1;

  int64_t scratch_bytes(const Extents& e) const override { return tile_bytes(e); }

  void emit(StreamProgram& program, const Operands& o) const override {
    constexpr float kRounder = 0x1.8p23f, kLeast = -128, kMost = 127;
    using Real = FloatArithmetic::Kind;
    const TensorView out = bm1684x::retyped(out_view(o), DType::u32);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorView bits = i == 0 ? out : bm1684x::aligned(o.scratch, o.output.e, DType::u32);
      const TensorView x = bm1684x::retyped(bits, DType::f32);
      emit_real(program, Real::mul, x, rows_view(o, i), scale);
      emit_real(program, Real::max, x, x, kLeast);
      emit_real(program, Real::min, x, x, kMost);
      emit_real(program, Real::add, x, x, kRounder);
      emit_bits(program, Bitwise::Kind::bit_and, bits, bits, 0xff);
      if (i == 0) continue;
      emit_bits(program, Bitwise::Kind::logical_shift, bits, bits, static_cast<uint32_t>(8 * i));
      emit_bits(program, Bitwise::Kind::bit_or, out, out, Source::tensor(bits));
    }
  }
};

void set_layer(StreamKernel& kernel, const ByteLayer& layer) {
  for (int i = 0; i < layer.layer.op.bottom_size(); ++i) kernel.inputs.push_back(layer.input(i));
  kernel.output = layer.output();
}

// Returns a view of all elements that fits a lane, sample by sample.
template <class K>
View spread_view(View cells, size_t inputs) {
  K kernel;
  kernel.inputs.assign(inputs, cells);
  kernel.output = cells;
  bm1684x::spread_if_large(kernel);
  cells.e = kernel.output.e;
  return cells;
}

std::vector<KernelPtr> from_cells(const ByteLayer& layer, int64_t samples) {
  std::vector<KernelPtr> kernels;
  const View cells = spread_view<FromCells>(layer.input(), 1), floats = layer.output();
  for (int64_t image = 0; image < std::min(kImages, samples); ++image) {
    auto k = std::make_unique<FromCells>();
    const int64_t images = (samples - image - 1) / kImages + 1;
    k->image = static_cast<int>(image);
    k->scale = layer.integers.threshold_x[0] / 128;
    k->inputs = {cells};
    k->inputs[0].e.n = images;
    k->output = image_view(floats, image, images, cells.e);
    kernels.push_back(std::move(k));
  }
  return kernels;
}

// Cells of four images, then the last cell if it has fewer.
std::vector<KernelPtr> to_cells(const ByteLayer& layer, int64_t samples) {
  std::vector<KernelPtr> kernels;
  const View floats = layer.input();
  const View cells = spread_view<ToCells>(layer.output(), kImages);
  const auto add = [&](int64_t first, int64_t count, int64_t images) {
    if (count == 0) return;
    auto k = std::make_unique<ToCells>();
    k->scale = 128 / layer.integers.threshold_x[0];
    for (int64_t i = 0; i < images; ++i)
      k->inputs.push_back(image_view(floats, first * kImages + i, count, cells.e));
    k->output = cells;
    k->output.e.n = count;
    k->output.offset = first * cells.e.c * cells.e.h * cells.e.w * element_bytes(DType::b32);
    kernels.push_back(std::move(k));
  };
  add(0, samples / kImages, kImages);
  add(samples / kImages, samples % kImages == 0 ? 0 : 1, samples % kImages);
  return kernels;
}

View cells_view(const std::string& tensor, const TensorShape& shape) {
  return {.tensor = tensor, .e = extents(shape), .type = DType::b32};
}

}  // namespace

View ByteLayer::input(int index) const {
  return cells_view(layer.op.bottom(index), layer.op.input_shape(index));
}
View ByteLayer::output() const { return cells_view(layer.op.top(0), layer.op.output_shape(0)); }

TensorView bytes_of_cells(TensorView cells) {
  cells.dtype = DType::i8;
  cells.pack = static_cast<uint8_t>(kImages);
  cells.shape.n *= static_cast<uint32_t>(kImages);
  return cells;
}

void emit_byte_relu(StreamProgram& program, const TensorView& bytes) {
  program.add(FixedPoint{.kind = Fixed::max,
                         .out = bytes,
                         .a = Source::tensor(bytes),
                         .b = byte_constant(0, DType::i8)});
}

void emit_scaled(StreamProgram& program, const TensorView& out, const TensorView& in,
                 int multiplier, bool is_signed, int shift) {
  const DType type = is_signed ? DType::i8 : DType::u8;
  program.add(FixedPoint{.kind = Fixed::mul,
                         .out = out,
                         .a = Source::tensor(in),
                         .b = byte_constant(multiplier, type),
                         .a_type = DType::i8,
                         .b_type = type,
                         .rshift = static_cast<uint32_t>(shift)});
}

Kernels lower_cells_eltwise(const ByteLayer& layer) {
  const auto& param = layer.layer.op.tg_eltwise_param();
  const auto make = [&](auto k) {
    k->multiplier = layer.integers.multiplier;
    k->shift = layer.integers.right_shift;
    k->do_relu = param.do_activation();
    set_layer(*k, layer);
    bm1684x::spread_if_large(*k);
    return bm1684x::one(std::move(k));
  };
  if (param.operation() == ::bmnet::TGEltwiseParameter::SUM)
    return make(std::make_unique<ByteSum>());
  return make(std::make_unique<ByteLargest>());
}

Kernels lower_cells_relu(const ByteLayer& layer) {
  auto k = std::make_unique<ByteRelu>();
  set_layer(*k, layer);
  bm1684x::spread_if_large(*k);
  return bm1684x::one(std::move(k));
}

// Inputs that are rescaled, along channels.
Kernels lower_cells_concat(const ByteLayer& layer) {
  std::vector<KernelPtr> kernels;
  int64_t offset = 0;
  for (int i = 0; i < layer.layer.op.bottom_size(); ++i) {
    auto k = std::make_unique<ByteScaled>();
    k->multiplier = layer.integers.multiplier[static_cast<size_t>(i)];
    k->shift = layer.integers.shift[static_cast<size_t>(i)];
    k->inputs = {layer.input(i)};
    k->output = k->inputs[0];
    k->output.tensor = layer.layer.op.top(0);
    k->output.offset = offset;
    const Extents& e = k->output.e;
    offset += e.c * e.h * e.w * element_bytes(DType::b32);
    bm1684x::spread_if_large(*k);
    kernels.push_back(std::move(k));
  }
  return kernels;
}

// A table that one factor and shift reproduce, as those of rescaled inputs of concatenations.
Kernels lower_cells_table(const ByteLayer& layer) {
  constexpr int kMostFactor = 255, kMostShift = 15;
  const auto& table = *layer.integers.table;
  const auto fits = [&](int factor, int shift) {
    for (int x = -128; x < 128; ++x) {
      const int64_t scaled = round_shift(int64_t{x} * factor, static_cast<uint32_t>(shift));
      if (saturate(scaled, DType::i8) != table[static_cast<uint8_t>(x)]) return false;
    }
    return true;
  };
  for (int shift = 0; shift <= kMostShift; ++shift)
    for (int factor = 0; factor <= kMostFactor; ++factor) {
      if (!fits(factor, shift)) continue;
      auto k = std::make_unique<ByteScaled>();
      k->multiplier = factor;
      k->shift = shift;
      set_layer(*k, layer);
      bm1684x::spread_if_large(*k);
      return bm1684x::one(std::move(k));
    }
  return bm1684x::unsupported(
      layer.layer.op, "table", "no factor and shift",
      "its thresholds differ too much for the chip; give its entry type: \"fp32\", or "
      "compile with --type fp32");
}

Kernels lower_cells_cast(const ByteLayer& layer) {
  const Layer& l = layer.layer;
  const bool to_floats = l.types.of(l.op.top(0)).type == DType::f32;
  if (to_floats) return from_cells(layer, l.op.output_shape(0).dim(0));
  return to_cells(layer, l.op.input_shape(0).dim(0));
}

Kernels lower_bytes(const Layer& layer, const LayerIntegers& integers) {
  struct Row {
    Op op;
    Kernels (*lower)(const ByteLayer&);
  };
  static constexpr Row kByteRows[] = {{Op::convolution, lower_cells_convolution},
                                      {Op::inner_product, lower_cells_inner_product},
                                      {Op::scale, lower_cells_scale},
                                      {Op::pooling, lower_cells_pooling},
                                      {Op::eltwise, lower_cells_eltwise},
                                      {Op::activation, lower_cells_relu},
                                      {Op::concat, lower_cells_concat},
                                      {Op::power, lower_cells_table},
                                      {Op::cast, lower_cells_cast}};
  for (const Row& row : kByteRows)
    if (is(layer.op, row.op)) return row.lower({layer, integers});
  return bm1684x::unsupported(layer.op, "type", layer.op.type(), "it is computed in fp32");
}

}  // namespace tputwin::net::bm1684
