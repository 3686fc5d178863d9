// Formulas of matrix products.
#include <algorithm>

#include "insight/explain/float_sums.h"
#include "insight/explain/formulas.h"
#include "numerics/add_tree.h"
#include "ops/contract/kernel_steps.h"

namespace tputwin::explain {
namespace {

struct Entry {
  uint32_t row, column;
};
// Returns the entry of a matrix for element `at` of its tensor.
Entry entry_of(const MatrixView& m, const Shape& at) {
  return {at.n, at.c * m.tensor.shape.w + at.w};
}
Entry entry_of(const MatrixOperand& m, const Shape& at) {
  const Entry stored = m.row_per_channel ? Entry{at.c, at.w} : entry_of(m.matrix, at);
  return m.transposed ? Entry{stored.column, stored.row} : stored;
}

float float_of(int32_t bits) { return f32::from_bits(static_cast<uint32_t>(bits)); }
float float_of(const MatrixOperand& m, const Memory& memory, uint32_t i, uint32_t j) {
  return float_value(static_cast<uint32_t>(m.read(memory, i, j)), m.dtype());
}

}  // namespace

int32_t formula(const MatrixMac& op, const Memory& memory, const Shape& at, Paper& paper) {
  const auto [r, c] = entry_of(op.res, at);
  int64_t sum = 0;
  for (uint32_t k = 0; k < op.left.cols; ++k) {
    const int64_t a = memory.read(op.left, r, k), b = memory.read(op.right, k, c);
    sum += a * b;
    paper.term(place("left", r, k), a, place("right", k, c), b, a * b, sum);
  }
  if (op.bias) sum = paper.step("+ bias", sum, sum + memory.read(*op.bias, 0, c));
  int64_t acc = wrap32(sum);
  if (op.relu) acc = paper.step("relu", acc, std::max<int64_t>(acc, 0));
  if (op.accumulate) {
    MatrixView old = op.res;
    old.tensor.dtype = DType::i16;
    const int32_t before = memory.read(old, r, c);
    acc = wrap32(acc + wrap_shift_left(before, op.lshift));
    paper.line("+ old result {} * 2^{} = {}", before, op.lshift, acc);
  }
  const bool narrow = element_bytes(op.res.tensor.dtype) == 1;
  return paper.shift_and_saturate(acc, op.rshift, make_dtype(!op.relu, narrow));
}

int32_t formula(const MatrixMac2& op, const Memory& memory, const Shape& at, Paper& paper) {
  int64_t sum = 0;
  for (uint32_t k = 0; k < op.left.shape.w; ++k) {
    const int64_t a = memory.read(op.left, 0, at.c, 0, k),
                  b = memory.read(op.right, at.w, k / 16, 0, k % 16);
    sum += a * b;
    paper.term(place("left", 0, at.c, 0, k), a, place("right", at.w, k / 16, 0, k % 16), b, a * b,
               sum);
  }
  const auto folded = static_cast<int32_t>((sum & 255) + (sum >> 8 & 255));
  paper.line("low byte {} + next byte {} = {}", sum & 255, sum >> 8 & 255, folded);
  return folded & 255;
}

int32_t formula(const MatmulBm1684& op, const Memory& memory, const Shape& at, Paper& paper) {
  const auto [i, j] = entry_of(op.out, at);
  AlternatingTerms products(paper, DType::f32, 0, 0);
  for (uint32_t k = 0; k < op.left.cols; ++k)
    products.add(place("left", i, k), float_of(memory.read(op.left, i, k)), place("right", k, j),
                 float_of(memory.read(op.right, k, j)));
  float sum = products.total();
  if (op.bias) sum = added(paper, "bias", sum, float_of(memory.read(*op.bias, 0, j)));
  if (op.accumulate) sum = added(paper, "old result", sum, float_of(memory.read(op.out, i, j)));
  return static_cast<int32_t>(f32::bits(sum));
}

int32_t formula(const MatmulBm1684Int8& op, const Memory& memory, const Shape& at, Paper& paper) {
  const auto [i, j] = entry_of(op.out, at);
  int64_t sum = op.bias ? memory.read(*op.bias, 0, j) : 0;
  if (op.bias) paper.line("bias {}", sum);
  for (uint32_t k = 0; k < op.left.cols; ++k) {
    const int64_t a = memory.read(op.left, i, k), b = memory.read(op.right, k, j);
    sum += a * b;
    paper.term(place("left", i, k), a, place("right", k, j), b, a * b, sum);
  }
  return paper.shift_and_saturate(sum, op.rshift, op.out.tensor.dtype);
}

int32_t formula(const MatmulBm1684xFp32& op, const Memory& memory, const Shape& at, Paper& paper) {
  const auto [i, j] = entry_of(op.out, at);
  const float bias =
      op.bias ? float_of(memory.read(*op.bias, 0, j)) : f32::from_bits(op.constant_bias);
  paper.line("bias {}", bias);
  const float old = op.accumulate ? float_of(op.out.read(memory, i, j)) : 0.0f;
  if (op.accumulate) paper.line("old result {}", old);
  AlternatingTerms sum(paper, DType::f32, op.accumulate ? bias : 0.0f, op.accumulate ? old : bias);
  for (uint32_t k = 0; k < op.left.cols(); ++k)
    sum.add(place("left", i, k), float_of(op.left, memory, i, k), place("right", k, j),
            float_of(op.right, memory, k, j));
  return static_cast<int32_t>(f32::bits(op.accumulate ? sum.total() : sum.total_second_first()));
}

int32_t formula(const MatmulBm1684xHalf& op, const Memory& memory, const Shape& at, Paper& paper) {
  const auto [i, j] = entry_of(op.out, at);
  const auto factor = [&](const MatrixOperand& m, uint32_t r, uint32_t c) {
    const float value = float_of(m, memory, r, c);
    return f32::is_nan(value) ? f32::from_bits(f32::kInvalid) : value;
  };
  const uint32_t depth = op.left.cols();
  float sum = op.accumulate ? float_of(op.out, memory, i, j) : 0.0f;
  if (op.accumulate) paper.line("old result {}", sum);
  for (uint32_t first = 0; first < depth; first += kAddTreeGroup) {
    float products[kAddTreeGroup];
    const uint32_t count = std::min(kAddTreeGroup, depth - first);
    for (uint32_t k = 0; k < count; ++k) {
      const float a = factor(op.left, i, first + k), b = factor(op.right, first + k, j);
      products[k] = f32::mul(a, b);
      paper.line("{} {} * {} {} = {}", place("left", i, first + k), a, place("right", first + k, j),
                 b, products[k]);
    }
    const float tree = add_tree({products, count});
    sum = f32::add(tree, sum);
    paper.line("these {} at once = {}; sum {}", count, tree, sum);
  }
  return rounded(paper, sum, op.out.dtype());
}

int32_t formula(const MatmulBm1684xInt& op, const Memory& memory, const Shape& at, Paper& paper) {
  const auto [i, j] = entry_of(op.out, at);
  const auto number = [&](const MatrixOperand& m, uint32_t r, uint32_t c) {
    return integer_value(m.read(memory, r, c), m.dtype());
  };
  uint64_t sum = 0;
  for (uint32_t k = 0; k < op.left.cols(); ++k) {
    const int64_t zero = op.zero_point ? zero_point(op, memory, k, j) : 0;
    const int64_t a = number(op.left, i, k), b = number(op.right, k, j) - zero;
    const uint64_t product = static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
    sum += product;
    paper.term(place("left", i, k), a,
               place("right", k, j) + (zero != 0 ? fmt::format(" - {}:", zero) : ""), b,
               static_cast<int64_t>(product), static_cast<int64_t>(sum));
  }
  const auto total = static_cast<int64_t>(sum);
  paper.line("bias {}", op.bias ? memory.read(*op.bias, 0, j) : op.constant_bias);
  if (op.old) paper.line("old result {} * 2^{}", number(*op.old, i, j), op.lshift);
  if (op.relu) paper.line("relu");
  if (op.shift) paper.line("* 2^{}, {}", op.shift->read(memory, 0, j), to_string(op.rounding));
  const int32_t result = finish(op, memory, i, j, total);
  paper.line("as {}: {}", to_string(op.out.dtype()), integer_value(result, op.out.dtype()));
  return result;
}

}  // namespace tputwin::explain
