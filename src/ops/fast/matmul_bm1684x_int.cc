// Products of matrices of 8 and signed 16-bit integers of the BM1684X, two terms in a cell.
#include "ops/matmul/matmul_bm1684x_int.h"
#include "numerics/rounding.h"
#include "ops/contract/body_steps.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/matrix_tiles.h"
#include "ops/matmul/matmul_bm1684x.h"

namespace tputwin::fast {
namespace {

class IntSource {
 public:
  using Element = uint16_t;
  static constexpr uint64_t kTermsWorthATask = 64 << 10;

  IntSource(const MatmulBm1684xInt& op, const PlainProduct& product, const Memory& memory)
      : op_(op), p_(product), memory_(memory) {
    if (op.zero_point && op.zero_point->is_constant)
      constant_zero_ = static_cast<int32_t>(op.zero_point->constant);
  }

  const PlainProduct& product() const { return p_; }
  static const InPlace* in_place() { return nullptr; }

  void read(const MatrixOperand& m, uint32_t row, uint16_t* to) const {
    const bool is_right = &m == (p_.swapped ? &p_.left : &p_.right);
    const int32_t zero = is_right ? constant_zero_ : 0;
    if (m.is_constant) {
      std::fill_n(to, m.matrix.cols,
                  static_cast<uint16_t>(static_cast<int32_t>(m.constant) - zero));
    } else {
      for_each_stored_run(m, memory_, row, [&](const uint8_t* from, uint32_t col, uint32_t count) {
        read_run(from, count, m.dtype(), zero, to + col);
      });
    }
    if (is_right && op_.zero_point && !op_.zero_point->is_constant)
      for (uint32_t col = 0; col < m.matrix.cols; ++col) {
        const bool row_is_column = m.transposed != p_.swapped;
        const uint32_t k = row_is_column ? col : row, j = row_is_column ? row : col;
        to[col] = static_cast<uint16_t>(to[col] - zero_point(op_, memory_, k, j));
      }
  }

  void start(uint32_t, uint32_t, uint32_t, uint32_t*, uint32_t*) const {}

  bool run(const TileKernels& kernels, const Tile& tile, const auto& terms, const TilePart&,
           const TileRoom&) const {
    kernels.integers(tile, terms.pitch, terms.count);
    return false;
  }

  void store(uint32_t i, uint32_t j, uint32_t count, uint32_t* first, bool) const {
    for (uint32_t c = 0; c < count; ++c) {
      const uint32_t row = p_.swapped ? j + c : i, col = p_.swapped ? i : j + c;
      const int32_t result = finish(op_, memory_, row, col, static_cast<int32_t>(first[c]));
      p_.out.write(memory_, i, j + c, result);
    }
  }

 private:
  static void read_run(const uint8_t* from, uint32_t count, DType dtype, int32_t zero,
                       uint16_t* to) {
    if (dtype == DType::u8)
      for (uint32_t i = 0; i < count; ++i) to[i] = static_cast<uint16_t>(from[i] - zero);
    else if (dtype == DType::i8)
      for (uint32_t i = 0; i < count; ++i)
        to[i] = static_cast<uint16_t>(static_cast<int8_t>(from[i]) - zero);
    else
      std::memcpy(to, from, count * sizeof *to);
  }

  const MatmulBm1684xInt& op_;
  const PlainProduct& p_;
  const Memory& memory_;
  int32_t constant_zero_ = 0;
};

bool covered(const MatmulBm1684xInt& op) {
  constexpr uint32_t kMaxExactDepth = 32768;
  const DType left = op.left.dtype(), right = op.right.dtype();
  if (element_bytes(left) == 1 && element_bytes(right) == 1)
    return op.out.dtype() == DType::i32 || op.out.dtype() == DType::u32
               ? !op.shift && !op.relu
               : op.left.cols() <= kMaxExactDepth && !op.zero_point;
  return left == DType::i16 && right == DType::i16 && !op.shift && !op.relu && !op.zero_point;
}

// What the end of a result reads may not be written before; old values of the result's own bytes
// belong to it.
Declined inputs_decline(const MatmulBm1684xInt& op, const LocalMemory& local) {
  const TensorView& out = op.out.matrix.tensor;
  auto free = [&](const TensorView* view) {
    return view == nullptr || disjoint(out, *view, local);
  };
  const bool has_shift = op.shift && !op.shift->is_constant;
  if (!free(op.bias ? &op.bias->tensor : nullptr) ||
      !free(has_shift ? &op.shift->matrix.tensor : nullptr) ||
      !free(op.zero_point ? tensor_of(*op.zero_point) : nullptr))
    return "results overlap a source";
  if (!op.old) return kRan;
  TensorView old = op.old->matrix.tensor;
  const bool same_width = element_bytes(old.dtype) == element_bytes(out.dtype);
  old.dtype = out.dtype;
  return same_width && old == out ? kRan : "old values are not those of the results";
}

Declined packed(const MatmulBm1684xInt& op, const Memory& memory) {
  if (!covered(op)) return "sums are known modulo 2^32 only";
  if (const Declined why = inputs_decline(op, memory.local)) return why;
  const PlainProduct product(op.out, op.left, op.right);
  if (const Declined why = matrices_decline(product, memory.local)) return why;
  const IntSource source(op, product, memory);
  return MatrixTiles(source, memory).run();
}

constexpr Body<MatmulBm1684xInt> kBodies[] = {{"packed", packed}};

}  // namespace

bool execute(const MatmulBm1684xInt& op, const Memory& memory) {
  return run_best(kBodies, op, memory);
}

}  // namespace tputwin::fast
