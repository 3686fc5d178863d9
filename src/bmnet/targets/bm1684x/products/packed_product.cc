// Products of fp16 and bf16 matrices whose right matrix is constant and has four bits a weight. The
// codes are loaded, and become numbers in local memory: (code - zero) * scale in fp32, then
// rounded.
#include "bmnet/targets/bm1684x/products/products.h"
#include "ops/elementwise/bitwise.h"
#include "ops/elementwise/convert.h"

namespace tputwin::net::bm1684x {
namespace {

// Inputs after the left matrix: codes, scales, and zeros if they differ.
constexpr size_t kCodes = 1, kScales = 2, kZeros = 3;
// Codes in the upper bits stay there: their zeros are 16 times as large, their scales a sixteenth.
constexpr int kLowerBits = 15, kUpperBits = 240;
constexpr float kUpperFactor = 16;

class PackedProduct final : public RowProduct {
 public:
  int64_t block = 0;
  std::optional<float> zero;  // of all blocks

  int64_t scratch_bytes(const Extents&) const override {
    const Extents codes = inputs[kCodes].e;
    return bytes_of(right_extents(codes), output.type) + bytes_of(codes, DType::f32) +
           bytes_of(codes, DType::u8);
  }

 protected:
  void prepare_right(StreamProgram& program, const Operands& o) const override {
    for (const bool is_upper : {false, true}) unpack(program, o, is_upper);
  }

  MatrixOperand right(const Operands& o, int64_t) const override {
    Local local = o.inputs[kCodes];
    local.address = o.scratch;
    local.e = right_extents(local.e);
    MatrixOperand m = matrix(local, output.type, 0);
    m.transposed = true;
    return m;
  }

 private:
  static Extents right_extents(Extents codes) {
    codes.w *= 2;
    return codes;
  }
  static int64_t bytes_of(const Extents& e, DType type) {
    return local_memory().tensor_bytes({.tensor = {}, .e = e, .type = type}, e);
  }

  // Views a matrix as (row, block, weight of the block).
  TensorView blocks_of(TensorView v, bool is_repeated) const {
    const uint32_t size = element_bytes(v.dtype);
    const auto width = static_cast<uint32_t>(block);
    v.shape.h = is_repeated ? v.shape.w / 2 : v.shape.w / width;
    v.shape.w = width;
    v.stride.h = is_repeated ? size : width * size;
    v.stride.w = is_repeated ? 0 : size;
    return v;
  }

  // Half of the columns: those whose codes are in the lower or upper bits of the bytes.
  void unpack(StreamProgram& program, const Operands& o, bool is_upper) const {
    const Extents e = o.inputs[kCodes].e;
    const auto wide_at = static_cast<uint32_t>(o.scratch + bytes_of(right_extents(e), output.type));
    const auto code_at = static_cast<uint32_t>(wide_at + bytes_of(e, DType::f32));
    const TensorView code = aligned(code_at, e, DType::u8), wide = aligned(wide_at, e, DType::f32);
    program.add(Bitwise{.kind = Bitwise::Kind::bit_and,
                        .out = code,
                        .a = Source::tensor(in_view(o, kCodes)),
                        .b = Source::value(is_upper ? kUpperBits : kLowerBits, DType::u8)});
    program.add(Convert{.out = wide, .in = code});
    const auto constants = [&](size_t input) {
      TensorView v = in_view(o, input);
      if (is_upper) v.address += v.shape.w / 2 * element_bytes(DType::f32);
      return Source::tensor(blocks_of(v, true));
    };
    const TensorView numbers = blocks_of(wide, false);
    const auto combine = [&](FloatArithmetic::Kind kind, const Source& with) {
      program.add(
          FloatArithmetic{.kind = kind, .out = numbers, .a = Source::tensor(numbers), .b = with});
    };
    combine(FloatArithmetic::Kind::sub,
            zero ? number(*zero * (is_upper ? kUpperFactor : 1), DType::f32) : constants(kZeros));
    combine(FloatArithmetic::Kind::mul, constants(kScales));
    TensorView half = aligned(o.scratch, right_extents(e), output.type);
    half.shape.w /= 2;
    if (is_upper) half.address += half.shape.w * element_bytes(output.type);
    program.add(Convert{.out = half, .in = wide});
  }
};

}  // namespace

std::unique_ptr<RowProduct> packed_product(const Layer& layer, const Product& product) {
  auto k = std::make_unique<PackedProduct>();
  const PackedWeights& packed = *product.packed;
  k->block = packed.block;
  k->inputs.push_back(product.left.row_view(layer.input(0)));
  const auto add = [&](const char* name, DType type, int64_t columns, std::vector<uint8_t> bytes) {
    const Matrix all{layer.op.name() + "/" + name, type, true, 1, packed.rows, columns, 0, columns};
    const int64_t first = product.right.first / product.right.row;
    k->inputs.push_back(all.rows_from(first, product.right.rows).row_view({}));
    k->constants.push_back({all.tensor, std::move(bytes)});
  };
  add("codes", DType::u8, packed.length / 2, packed.codes);
  std::vector<float> scales = packed.scales, zeros = packed.zeros;
  for (size_t i = 0; i < scales.size(); ++i)
    if (static_cast<int64_t>(i) % packed.blocks() >= packed.blocks() / 2) {
      scales[i] /= kUpperFactor;
      zeros[i] *= kUpperFactor;
    }
  add("scales", DType::f32, packed.blocks(), bm1684x::bytes_of(scales, DType::f32));
  const auto differs = [&](float z) { return z != packed.zeros[0]; };
  if (std::ranges::any_of(packed.zeros, differs))
    add("zeros", DType::f32, packed.blocks(), bm1684x::bytes_of(zeros, DType::f32));
  else
    k->zero = packed.zeros[0];
  return k;
}

}  // namespace tputwin::net::bm1684x
