// Products of floating-point matrices of the BM1684X, as fp32 cells.
#include <cmath>
#include <type_traits>

#include "numerics/float16.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/matrix_tiles.h"
#include "ops/fast/window/sums.h"
#include "ops/matmul/matmul_bm1684x_fp32.h"
#include "ops/matmul/matmul_bm1684x_half.h"

namespace tputwin::fast {
namespace {

template <class Op>
class FloatSource {
 public:
  using Element = uint32_t;
  static constexpr uint64_t kTermsWorthATask = 64 << 10;
  static constexpr bool kAlternates = std::is_same_v<Op, MatmulBm1684xFp32>;

  FloatSource(const Op& op, const PlainProduct& product, const Memory& memory)
      : op_(op), p_(product), memory_(memory) {}

  const PlainProduct& product() const { return p_; }
  static const InPlace* in_place() { return nullptr; }

  void read(const MatrixOperand& m, uint32_t row, uint32_t* to) const {
    const DType dtype = m.dtype();
    if (m.is_constant)
      return static_cast<void>(
          std::fill_n(to, m.matrix.cols, f32::bits(float_value(m.constant, dtype))));
    for_each_stored_run(m, memory_, row, [&](const uint8_t* from, uint32_t col, uint32_t count) {
      widen_(dtype, from, count, reinterpret_cast<int32_t*>(to + col));
    });
  }

  void start(uint32_t i, uint32_t j, uint32_t count, uint32_t* first, uint32_t* second) const {
    if constexpr (kAlternates) {
      for (uint32_t c = 0; op_.bias && c < count; ++c)
        (op_.accumulate ? first : second)[c] =
            static_cast<uint32_t>(memory_.read(*op_.bias, 0, j + c));
    }
    uint32_t* const old = kAlternates ? second : first;
    if (op_.accumulate)
      for_each_result_run(p_.out, memory_, i, j, count,
                          [&](const uint8_t* from, uint32_t index, uint32_t run) {
                            std::memcpy(old + index, from, run * sizeof *old);
                          });
  }

  bool run(const TileKernels& kernels, const Tile& tile, const auto& terms, const TilePart&,
           const TileRoom& room) const {
    if (!kAlternates) return kernels.grouped(tile, {terms.pitch, terms.count, 1});
    return kernels.chains(tile, Chains::alternating(terms.count, terms.right_offset.data()),
                          {.starts = {room.as_floats(), room.second_as_floats()}});
  }

  void store(uint32_t i, uint32_t j, uint32_t count, uint32_t* first, bool in_doubt) const {
    for (uint32_t c = 0; in_doubt && c < count; ++c)
      if (std::isnan(f32::from_bits(first[c])))
        first[c] = f32::bits(p_.swapped ? result_at(op_, memory_, j + c, i)
                                        : result_at(op_, memory_, i, j + c));
    const DType dtype = p_.out.dtype();
    for_each_result_run(p_.out, memory_, i, j, count,
                        [&](uint8_t* to, uint32_t index, uint32_t run) {
                          if (dtype == DType::f32)
                            std::memcpy(to, first + index, run * sizeof *first);
                          else
                            narrow(first + index, run, dtype, to);
                        });
  }

 private:
  static void narrow(const uint32_t* sums, uint32_t count, DType dtype, uint8_t* to) {
    for (uint32_t i = 0; i < count; ++i)
      Memory::store(to + i * sizeof(uint16_t),
                    static_cast<uint16_t>(float_bits(f32::from_bits(sums[i]), dtype)));
  }

  const Op& op_;
  const PlainProduct& p_;
  const Memory& memory_;
  const decltype(WindowKernels::widen) widen_ = window_kernels().widen;
};

template <class Op>
Declined packed(const Op& op, const Memory& memory) {
  const PlainProduct product(op.out, op.left, op.right);
  if (const Declined why = matrices_decline(product, memory.local)) return why;
  if constexpr (FloatSource<Op>::kAlternates)
    if (op.bias && !disjoint(op.out.matrix.tensor, op.bias->tensor, memory.local))
      return "results overlap the bias";
  const FloatSource<Op> source(op, product, memory);
  return MatrixTiles(source, memory).run();
}

template <class Op>
constexpr Body<Op> kBodies[] = {{"packed", packed<Op>}};

}  // namespace

bool execute(const MatmulBm1684xFp32& op, const Memory& memory) {
  return run_best(kBodies<MatmulBm1684xFp32>, op, memory);
}
bool execute(const MatmulBm1684xHalf& op, const Memory& memory) {
  return run_best(kBodies<MatmulBm1684xHalf>, op, memory);
}

}  // namespace tputwin::fast
