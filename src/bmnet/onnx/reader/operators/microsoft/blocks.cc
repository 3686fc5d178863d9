// Weights of few bits, with a scale for each block.
#include <fmt/format.h>

#include <array>

#include "bmnet/onnx/reader/expansion.h"

namespace tputwin::net::onnx_reader {
namespace {

// The integers of `bits` bits that bytes hold, the lowest bits first.
std::vector<int64_t> unpacked(const Constant& bytes, int64_t bits) {
  std::vector<int64_t> values;
  const int64_t mask = (int64_t{1} << bits) - 1;
  for (const int64_t byte : bytes.integers)
    for (int64_t shift = 0; shift < 8; shift += bits) values.push_back(byte >> shift & mask);
  return values;
}

struct Packed {
  int64_t rows, columns, bits, block, blocks;  // the columns of a row are in blocks
};

// The zero point of each block of each row.
std::vector<float> zeros_of(const Node& node, const Packed& p) {
  const auto count = static_cast<size_t>(p.rows * p.blocks);
  if (!node.has(3))
    return std::vector<float>(count, static_cast<float>(int64_t{1} << (p.bits - 1)));
  const Constant& given = node.weights(3, "zero_points");
  if (!given.is_integer()) return given.real();
  const std::vector<int64_t> all = unpacked(given, p.bits);
  const auto in_row = static_cast<int64_t>(all.size()) / p.rows;  // the last byte may be unused
  std::vector<float> zeros;
  for (int64_t row = 0; row < p.rows; ++row)
    for (int64_t block = 0; block < p.blocks && block < in_row; ++block)
      zeros.push_back(static_cast<float>(all[static_cast<size_t>(row * in_row + block)]));
  return zeros;
}

Packed packed_of(const Node& node) {
  const int64_t columns = node.integer("K", 0), rows = node.integer("N", 0);
  const int64_t bits = node.integer("bits", 4), block = node.integer("block_size", 0);
  node.require(bits == 2 || bits == 4 || bits == 8, "bits", std::to_string(bits), "2, 4 or 8");
  constexpr int64_t kMost = int64_t{1} << 20;
  node.require(
      columns > 0 && rows > 0 && block > 0 && columns < kMost && rows < kMost && block < kMost,
      "K, N, block_size", fmt::format("{}, {}, {}", columns, rows, block),
      "above 0 and below 2^20");
  return {rows, columns, bits, block, (columns + block - 1) / block};
}

// The block whose scale and zero point each column has: its own, or what g_idx says, which is what
// reordered columns need.
std::vector<size_t> groups_of(const Node& node, const Packed& p) {
  constexpr size_t kGroups = 4;
  std::vector<size_t> groups;
  for (int64_t column = 0; column < p.columns; ++column)
    groups.push_back(static_cast<size_t>(column / p.block));
  if (!node.has(kGroups)) return groups;
  const Constant& given = node.weights(kGroups, "g_idx");
  const auto count = static_cast<int64_t>(given.size());
  node.require(given.is_integer() && (count == p.columns || count == p.blocks * p.block), "g_idx",
               text(given.dims), fmt::format("an integer for each of {} columns", p.columns));
  for (size_t column = 0; column < groups.size(); ++column) {
    const int64_t group = given.integers[column];
    node.require(group >= 0 && group < p.blocks, "g_idx", std::to_string(group),
                 fmt::format("from 0 to {}", p.blocks - 1));
    groups[column] = static_cast<size_t>(group);
  }
  return groups;
}

}  // namespace

// A B^T for B of few bits: (integer - zero point) * scale, each block with its own.
void expand_mat_mul_n_bits(Node& node) {
  const Packed p = packed_of(node);
  const std::vector<size_t> groups = groups_of(node, p);
  const std::vector<int64_t> integers = unpacked(node.weights(1, "B"), p.bits);
  const std::vector<float> scales = node.weights(2, "scales").real(), zeros = zeros_of(node, p);
  const auto blocks = static_cast<size_t>(p.rows * p.blocks);
  node.require(static_cast<int64_t>(integers.size()) == p.rows * p.blocks * p.block &&
                   scales.size() == blocks && zeros.size() == blocks,
               "B", text(node.dims(1)), "blocks with a scale and a zero point each");
  std::vector<float> matrix(static_cast<size_t>(p.columns * p.rows));
  for (int64_t row = 0; row < p.rows; ++row)
    for (int64_t column = 0; column < p.columns; ++column) {
      const size_t block =
          static_cast<size_t>(row * p.blocks) + groups[static_cast<size_t>(column)];
      const auto value =
          static_cast<float>(integers[static_cast<size_t>(row * p.blocks * p.block + column)]);
      matrix[static_cast<size_t>(column * p.rows + row)] = (value - zeros[block]) * scales[block];
    }
  Expansion made(node);
  std::string y = made.add("MatMul", {made.in(0), made.reals({p.columns, p.rows}, matrix)});
  if (node.has(5)) y = made.add("Add", {y, made.in(5)});
  made.set(y);
}

namespace {

// The 16 numbers of FP4 and NF4, by their codes.
constexpr std::array<float, 16> kFp4 = {
    0,     5.208333333e-03f,  0.66666667f,  1,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
    -0.0f, -5.208333333e-03f, -0.66666667f, -1, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
constexpr std::array<float, 16> kNf4 = {-1,
                                        -0.6961928009986877f,
                                        -0.5250730514526367f,
                                        -0.39491748809814453f,
                                        -0.28444138169288635f,
                                        -0.18477343022823334f,
                                        -0.09105003625154495f,
                                        0,
                                        0.07958029955625534f,
                                        0.16093020141124725f,
                                        0.24611230194568634f,
                                        0.33791524171829224f,
                                        0.44070982933044434f,
                                        0.5626170039176941f,
                                        0.7229568362236023f,
                                        1};

}  // namespace

// A B^T for B of four-bit floats, whose blocks go over the ends of rows. The higher half of a byte
// is the first number.
void expand_mat_mul_bnb4(Node& node) {
  const Packed p = packed_of(node);
  const int64_t kind = node.integer("quant_type", 1), count = p.rows * p.columns;
  node.require(kind == 0 || kind == 1, "quant_type", std::to_string(kind), "0 (FP4) or 1 (NF4)");
  const Constant& bytes = node.weights(1, "B");
  const std::vector<float> scales = node.weights(2, "absmax").real();
  node.require(static_cast<int64_t>(bytes.size()) == (count + 1) / 2 && bytes.is_integer(), "B",
               text(bytes.dims), "two numbers in a byte");
  node.require(static_cast<int64_t>(scales.size()) == (count + p.block - 1) / p.block, "absmax",
               std::to_string(scales.size()), "one for each block");
  std::vector<float> matrix(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t byte = bytes.integers[static_cast<size_t>(i / 2)];
    const auto code = static_cast<size_t>(i % 2 == 0 ? byte >> 4 & 15 : byte & 15);
    const float value = kind == 0 ? kFp4.at(code) : kNf4.at(code);
    const auto at = static_cast<size_t>(i % p.columns * p.rows + i / p.columns);
    matrix[at] = value * scales[static_cast<size_t>(i / p.block)];
  }
  Expansion made(node);
  made.set(made.add("MatMul", {made.in(0), made.reals({p.columns, p.rows}, matrix)}));
}

namespace {

// The integers of a table; bytes may hold two of four bits, of which the lower is the first.
struct Table {
  Dims dims;
  std::vector<int64_t> integers;
};

Table table_of(const Constant& constant, int64_t bits) {
  Table table{constant.dims, constant.integers};
  if (bits == 8 || constant.type != onnx::TensorProto::UINT8) return table;
  table.integers = unpacked(constant, bits);
  table.dims.back() *= 8 / bits;
  return table;
}

// The zero point of each scale: half of the range of codes without a sign, if there is none.
std::vector<int64_t> zeros_of_scales(const Node& node, const Constant& scales, int64_t bits) {
  constexpr size_t kZeros = 3;
  const bool is_packed = node.weights(0, "data").type == onnx::TensorProto::UINT8;
  const int64_t otherwise = is_packed ? int64_t{1} << (bits - 1) : 0;
  if (!node.has(kZeros)) return std::vector<int64_t>(scales.size(), otherwise);
  const Constant& given = node.weights(kZeros, "zero_points");
  const Table all = table_of(given, bits);
  const auto columns = static_cast<size_t>(scales.dims.back());
  const auto stored = static_cast<size_t>(all.dims.back());
  std::vector<int64_t> zeros;
  for (size_t i = 0; i < scales.size(); ++i) {
    const size_t at = i / columns * stored + i % columns;
    node.require(at < all.integers.size(), "zero_points", text(given.dims), "one for each scale");
    zeros.push_back(all.integers[at]);
  }
  return zeros;
}

}  // namespace

// Rows of a table of integers with a scale for each block of an axis.
void expand_gather_block_quantized(Node& node) {
  const Constant &data = node.weights(0, "data"), &scales = node.weights(2, "scales");
  const int64_t block = node.integer("block_size", 128), bits = node.integer("bits", 4);
  node.require(bits == 2 || bits == 4 || bits == 8, "bits", std::to_string(bits), "2, 4 or 8");
  node.require(block > 0 && data.is_integer() && !data.dims.empty(), "block_size",
               std::to_string(block), "at least 1, of a table of integers");
  const Table table = table_of(data, bits);
  const size_t axis = node.axis(node.integer("quantize_axis", 1), table.dims.size());
  Dims blocks = table.dims;
  blocks[axis] = (blocks[axis] + block - 1) / block;
  node.require(scales.dims == blocks, "scales", text(scales.dims),
               "one for each block, " + text(blocks));
  const std::vector<int64_t> zeros = zeros_of_scales(node, scales, bits);
  const int64_t inner = run(table.dims, axis + 1, table.dims.size()), extent = table.dims[axis];
  std::vector<float> values;
  for (size_t i = 0; i < table.integers.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t along = at / inner % extent, outer = at / inner / extent;
    const auto from =
        static_cast<size_t>((outer * blocks[axis] + along / block) * inner + at % inner);
    values.push_back(static_cast<float>(table.integers[i] - zeros[from]) *
                     static_cast<float>(scales.at(from)));
  }
  Expansion made(node);
  made.set(made.add("Gather", {made.reals(table.dims, values), made.in(1)},
                    {{"axis", node.integer("gather_axis", 0)}}));
}

}  // namespace tputwin::net::onnx_reader
