// Random matrix products of the BM1880.
#include "selftest/bm1880_family.h"

namespace tputwin::testing {
namespace {

class Matrices : Bm1880Family {
 public:
  Matrices(Rng& rng, const Chip& chip) : Bm1880Family(rng, chip) {}

  Operation matrix_mac() {
    MatrixMac op;
    uint32_t rows = rng_.chance(1, 3) ? 1 : rng_.range(1, 12);
    uint32_t inner = rng_.coin() ? rng_.range(1, 40) : rng_.range(33, 200);
    uint32_t cols = rng_.chance(2, 3) ? rng_.range(1, 100) : rng_.range(1, 1200);
    if (uint64_t{rows} * inner * cols > kMaxWork) return CpuCall{};
    op.relu = rng_.chance(1, 3);
    op.accumulate = !op.relu && rng_.coin();
    op.lshift = op.accumulate && rng_.chance(1, 4) ? rng_.range(0, 31) : rng_.range(0, 8);
    op.rshift = rshift();
    op.left = local_matrix(chip_, 0, rows, inner, eight());
    op.right = local_matrix(chip_, 0, inner, cols, eight());
    op.res = local_matrix(chip_, 0, rows, cols, make_dtype(!op.relu, rng_.coin()));
    TensorView& res = op.res.tensor;
    res.plane_stride = is_16bit(res.dtype) || op.accumulate ? rows * res.stride.n : 0;
    if (rng_.coin()) op.res.cols = res.shape.c * res.shape.w;  // whole blocks
    if (rng_.coin()) op.bias = local_matrix(chip_, 0, 1, cols, make_dtype(rng_.coin(), false));
    const bool has_signed = is_signed(op.left.tensor.dtype) || is_signed(op.right.tensor.dtype) ||
                            (op.bias && is_signed(op.bias->tensor.dtype));
    if (op.accumulate && !has_signed) op.right.tensor.dtype = DType::i8;
    placer_.place(op.left.tensor, chip_.eu_bytes, placer_.any_lane());
    placer_.place(op.right.tensor, chip_.eu_bytes);
    if (op.bias) placer_.place(op.bias->tensor, chip_.eu_bytes);
    placer_.place(res, chip_.eu_bytes, rng_.chance(1, 8) ? placer_.any_lane() : 0);
    placer_.finish();
    return op;
  }

  Operation matrix_mac2() {
    MatrixMac2 op;
    op.left = tensor({1, 256, 1, 256}, eight(), true);
    op.right = tensor({256, 16, 1, 16}, eight(), true);
    op.res = tensor({1, 256, 1, 256}, eight(), true);
    placer_.place(op.left, chip_.eu_bytes, rng_.chance(1, 8) ? placer_.any_lane() : 0);
    placer_.place(op.right, chip_.eu_bytes);
    placer_.place(op.res, chip_.eu_bytes);
    placer_.finish();
    return op;
  }
};

}  // namespace

TW_FAMILY(random_bm1880_matrices, Matrices, {matrix_mac, &Matrices::matrix_mac},
          {matrix_mac2, &Matrices::matrix_mac2})

}  // namespace tputwin::testing
