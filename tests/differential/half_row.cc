// Products of single fp16 and bf16 rows: exponents of products follow from the bits of their
// factors, and columns with exact groups are adjacent to others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/bits.h"
#include "memory/layout.h"
#include "numerics/float16.h"
#include "numerics/float_mode.h"
#include "ops/fast/dispatch/kernel_trace.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/half_row.h"
#include "ops/operation.h"
#include "selftest/test_memory.h"

namespace tputwin::testing {
namespace {

using fast::HalfRow;

int fraction_bits(DType type) { return type == DType::f16 ? 10 : 7; }

// Tests all pairs of significands.
TEST(HalfRow, DifferencesHaveTheExponentsOfProducts) {
  for (const DType type : {DType::f16, DType::bf16}) {
    const uint32_t one = float_bits(1.0f, type), count = 1u << fraction_bits(type);
    for (uint32_t y = 0; y < count; ++y) {
      const float a = float_value(one + y, type);
      HalfRow row(type);
      ASSERT_TRUE(row.set({f32::bits(a), f32::bits(2.0f)}));
      for (uint32_t x = 0; x < count; ++x) {
        const int difference = static_cast<int>(one + x) - row.thresholds[0];
        const int exponent = row.base_exponents[0] + (difference >> fraction_bits(type));
        ASSERT_EQ(exponent, std::ilogb(a * float_value(one + x, type))) << y << " " << x;
      }
    }
  }
}

// The example of half_row.h.
TEST(HalfRow, ExampleHasItsNumbers) {
  HalfRow row(DType::f16);
  ASSERT_TRUE(row.set({f32::bits(1.5f)}));
  EXPECT_EQ(row.base_exponents[0], -14);
  EXPECT_EQ(row.thresholds[0], 342);
  EXPECT_EQ(row.min_exact_differences[0], 1 << 10);
  EXPECT_EQ(row.threshold_pairs[0], 342u << 16 | 342u);
  EXPECT_EQ(row.thresholds[1], HalfRow::kMaxThreshold);  // a zero after the last factor
}

TEST(HalfRow, FactorsFarFromOneAreDeclined) {
  const auto is_taken = [](float factor) {
    return HalfRow(DType::bf16).set({f32::bits(1.0f), f32::bits(factor)});
  };
  EXPECT_TRUE(is_taken(0.0f));
  EXPECT_TRUE(is_taken(-0x1p-40f));
  EXPECT_FALSE(is_taken(0x1p-41f));
  EXPECT_TRUE(is_taken(0x1p39f));
  EXPECT_FALSE(is_taken(0x1p40f));
  EXPECT_FALSE(is_taken(INFINITY));
  EXPECT_FALSE(is_taken(NAN));
}

// The kind of numbers in a column of the right matrix.
enum class Column : uint8_t { usual, sparse, zeros, small, least, large, infinite, tiny };
constexpr uint32_t kColumns = 8;

// The kinds in 64 columns: one whose range does not fit one slice with the next columns, columns
// with exact groups, all kinds, and whole vectors of usual columns.
Column kind_of(uint32_t column) {
  const uint32_t place = column % 64;
  if (place == 0) return Column::tiny;
  if (place < 16) return place % 2 != 0 ? Column::usual : Column::small;
  return place < 32 ? static_cast<Column>(place % kColumns) : Column::usual;
}

uint32_t element(Column column, DType type, std::mt19937& random) {
  const float usual = std::normal_distribution<float>()(random);
  const bool often = random() % 4 != 0;
  switch (column) {
    case Column::sparse:
      return often ? 0 : float_bits(usual, type);
    case Column::zeros:
      return random() % 2 * (1 << 15);
    // Smaller than usual by so many octaves that other columns fit between.
    case Column::small:
      return float_bits(usual * 1e-3f, type);
    // Smaller by so many octaves that one slice cannot hold both.
    case Column::tiny:
      return float_bits(usual * (type == DType::f16 ? 1e-4f : 0x1p-33f), type);
    case Column::least:  // includes subnormals
      return float_bits(usual * 1e-4f, type) % (1 << (fraction_bits(type) + 2));
    case Column::large:
      return float_bits(usual * (type == DType::f16 ? 1e4f : 1e13f), type);
    case Column::infinite:
      return float_bits(often ? usual : INFINITY, type);
    default:
      return float_bits(usual, type);
  }
}

class Products {
 public:
  struct Extents {
    uint32_t rows, depth, cols;
  };

  Products(DType type, const Extents& extents, bool transposed) : extents_(extents) {
    const auto& [rows, depth, cols] = extents;
    const auto by_rows = [&](uint32_t height, uint32_t width, DType dtype) {
      const Shape shape{1, height, 1, width};
      const TensorView view{
          .dtype = dtype,
          .plane_stride = is_16bit(dtype) ? 1u : 0u,
          .address = next_,
          .shape = shape,
          .stride = lane_stride(bm1684x(), shape, 0, element_bytes(dtype), /*aligned=*/true)};
      next_ += align_up(uint64_t{view.stride.n}, uint64_t{bm1684x().bank_bytes()});
      return MatrixOperand{.matrix = {view, height, width}, .row_per_channel = true};
    };
    op_.left = by_rows(rows, depth, type);
    op_.right = transposed ? by_rows(cols, depth, type) : by_rows(depth, cols, type);
    op_.right.transposed = transposed;
    op_.out = by_rows(rows, cols, DType::f32);
  }

  // Returns the bits of the results on an instruction set; `kernel_name` gets the name of the
  // kernel.
  std::vector<uint32_t> results(const std::string& isa, std::string* kernel_name = nullptr) {
    // Static, because an emulator takes seconds to allocate it.
    static TestMemory test_memory(bm1684x());
    const Memory memory = test_memory.memory();
    fill(memory);
    fast::select_isa(isa);
    const fast::KernelTrace trace;
    const ScopedFloatMode mode;
    if (!fast::execute(op_, memory))
      execute(op_, memory);
    else if (kernel_name != nullptr)
      *kernel_name = trace.events().back().kernel;
    fast::select_isa("");
    std::vector<uint32_t> bits;
    for (uint32_t i = 0; i < extents_.rows; ++i)
      for (uint32_t j = 0; j < extents_.cols; ++j)
        bits.push_back(static_cast<uint32_t>(op_.out.read(memory, i, j)));
    return bits;
  }

 private:
  void fill(const Memory& memory) {
    random_.seed(1);
    const DType type = op_.left.dtype();
    const auto put = [&](const MatrixOperand& m, uint32_t i, uint32_t j, uint32_t bits) {
      m.write(memory, i, j, static_cast<int32_t>(bits));
    };
    const auto& [rows, depth, cols] = extents_;
    for (uint32_t i = 0; i < rows; ++i)
      for (uint32_t j = 0; j < cols; ++j) put(op_.out, i, j, 0x7fc00bad);
    for (uint32_t i = 0; i < op_.left.rows(); ++i)
      for (uint32_t k = 0; k < depth; ++k) {  // the second group is zeros
        const auto column = k / kAddTreeGroup == 1 ? Column::zeros : static_cast<Column>(k % 2);
        put(op_.left, i, k, element(column, type, random_));
      }
    for (uint32_t j = 0; j < cols; ++j) {
      const Column kind = kind_of(j);
      for (uint32_t k = 0; k < depth; ++k) put(op_.right, k, j, element(kind, type, random_));
    }
  }

  const Extents extents_;
  std::mt19937 random_;
  MatmulBm1684xHalf op_;
  uint64_t next_ = 0;
};

void expect_reference_bytes(DType type, const Products::Extents& extents, bool transposed) {
  Products products(type, extents, transposed);
  const std::vector<uint32_t> expected = products.results("reference");
  for (const std::string& isa : fast::available_isas()) {
    std::string kernel_name;
    const std::vector<uint32_t> bits = products.results(isa, &kernel_name);
    const auto at = std::ranges::mismatch(bits, expected).in1 - bits.begin();
    EXPECT_TRUE(bits == expected) << isa << " " << to_string(type) << " " << extents.depth << "x"
                                  << extents.cols << (transposed ? " transposed" : "") << " result "
                                  << at << " is " << bits[at] << " instead of " << expected[at];
    EXPECT_TRUE(isa == "reference" || kernel_name == "few rows") << isa << " " << kernel_name;
  }
}

// The last group is partial, and columns end inside a vector. Columns that are stored as rows are
// one slice and a partial one.
TEST(HalfRow, ColumnsOfAllKindsEqualTheReferenceKernel) {
  for (const DType type : {DType::f16, DType::bf16})
    for (const uint32_t rows : {1u, 2u})
      for (const bool transposed : {false, true}) {
        expect_reference_bytes(type, {rows, 4 * kAddTreeGroup + 5, 157}, transposed);
        expect_reference_bytes(type, {rows, 35 * kAddTreeGroup, 37}, transposed);
      }
}

}  // namespace
}  // namespace tputwin::testing
