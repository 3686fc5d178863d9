// Random moves of the BM1880's DMA.
#include "selftest/bm1880_family.h"

namespace tputwin::testing {
namespace {

class Moves : Bm1880Family {
 public:
  Moves(Rng& rng, const Chip& chip) : Bm1880Family(rng, chip) {}

  // Returns another shape with the same number of elements.
  Shape reshaped(const Shape& s) {
    switch (rng_.below(4)) {
      case 0:
        return {s.n, s.c, 1, s.h * s.w};
      case 1:
        return {1, s.n * s.c, s.h, s.w};
      case 2:
        return s.h % 2 == 0 ? Shape{s.n, s.c, s.h / 2, s.w * 2} : Shape{s.n, s.c * s.h, 1, s.w};
      default:
        return s.w % 2 == 0 ? Shape{s.n, s.c * 2, s.h, s.w / 2} : Shape{s.h, s.w, s.c, s.n};
    }
  }

  TensorView dma_side(Space space, const Shape& s, bool explicit_strides) {
    if (space == Space::global) {
      TensorView view = global_tensor(0, s, eight());
      if (explicit_strides && rng_.coin()) view.stride = random_stride(s, /*local=*/false);
      return view;
    }
    TensorView view = tensor(s, eight(), /*aligned=*/!explicit_strides || rng_.coin());
    if (explicit_strides && rng_.chance(1, 3)) view.stride = random_stride(s, /*local=*/true);
    return view;
  }

  Operation dma_tensor() {
    DmaTensor op;
    Space from = rng_.coin() ? Space::local : Space::global;
    Space to = rng_.coin() ? Space::local : Space::global;
    Shape s = shape(12000);
    op.transpose_nc = rng_.chance(1, 3);
    op.explicit_strides = rng_.chance(2, 3);
    Shape d = op.transpose_nc ? Shape{s.c, s.n, s.h, s.w} : rng_.chance(1, 3) ? reshaped(s) : s;
    op.src = dma_side(from, s, op.explicit_strides);
    op.dst = dma_side(to, d, op.explicit_strides);
    placer_.place(op.src, rng_.coin() ? chip_.eu_bytes : 1, placer_.any_lane());
    placer_.place(op.dst, rng_.coin() ? chip_.eu_bytes : 1, placer_.any_lane());
    placer_.finish();
    return op;
  }

  MatrixView matrix_side(Space space, uint32_t rows, uint32_t cols) {
    return space == Space::local
               ? local_matrix(chip_, 0, rows, cols, eight())
               : global_matrix(0, rows, cols, cols + (rng_.coin() ? 0 : rng_.range(0, 50)),
                               eight());
  }

  Operation dma_matrix() {
    DmaMatrix op;
    Space from = rng_.coin() ? Space::local : Space::global;
    Space to = rng_.coin() ? Space::local : Space::global;
    uint32_t rows = rng_.range(1, 40),
             cols = rng_.chance(3, 4) ? rng_.range(1, 150) : rng_.range(1, 900);
    op.transpose = rng_.chance(1, 3);
    op.explicit_strides = rng_.coin();
    uint32_t drows = op.transpose ? cols : rows, dcols = op.transpose ? rows : cols;
    if (!op.transpose && rng_.chance(1, 6)) drows = 1, dcols = rows * cols;
    op.src = matrix_side(from, rows, cols);
    op.dst = matrix_side(to, drows, dcols);
    placer_.place(op.src.tensor, chip_.eu_bytes, placer_.any_lane());
    placer_.place(op.dst.tensor, chip_.eu_bytes, placer_.any_lane());
    placer_.finish();
    return op;
  }

  Operation dma_lrn_shift() {
    DmaLrnShift op;
    Shape s = shape(6000);
    op.right = rng_.coin();
    op.step = rng_.range(1, 15);
    op.src = dma_side(Space::local, s, rng_.coin());
    op.dst = dma_side(Space::local, s, rng_.coin());
    placer_.place(op.src, chip_.eu_bytes, placer_.any_lane());
    placer_.place(op.dst, chip_.eu_bytes, placer_.any_lane());
    placer_.finish();
    return op;
  }

  Operation dma_winograd_kernel() {
    DmaWinogradKernel op;
    uint32_t oc = channels(), ic = rng_.range(1, 40);
    op.scale = rng_.range(0, 15);
    op.dst = tensor({1, oc, ic, 16}, eight(), /*aligned=*/rng_.chance(1, 4));
    op.src = global_tensor(0, {1, oc, ic, 9}, eight());
    if (rng_.chance(1, 8)) op.src.stride = random_stride(op.src.shape, /*local=*/false);
    placer_.place(op.src, 1);
    placer_.place(op.dst, rng_.coin() ? chip_.eu_bytes : 1, placer_.any_lane());
    placer_.finish();
    return op;
  }
};

}  // namespace

TW_FAMILY(random_bm1880_moves, Moves, {dma_tensor, &Moves::dma_tensor},
          {dma_matrix, &Moves::dma_matrix}, {dma_lrn_shift, &Moves::dma_lrn_shift},
          {dma_winograd_kernel, &Moves::dma_winograd_kernel})

}  // namespace tputwin::testing
