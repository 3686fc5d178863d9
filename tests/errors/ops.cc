// TW-OPS: each trigger takes a legal operation and breaks one rule.
#include "base/errors/ops.h"
#include "errors/trigger.h"
#include "memory/layout.h"
#include "ops/operation.h"

namespace tputwin::testing {
namespace {

const Chip& chip = bm1880();

TensorView aligned(uint64_t address, const Shape& shape, DType dtype = DType::i8) {
  return local_tensor(chip, address, shape, /*aligned=*/true, dtype);
}

TensorView wide(uint64_t address, const Shape& shape, DType dtype = DType::i16) {
  TensorView view = aligned(address, shape, dtype);
  view.plane_stride = 1024;
  return view;
}

constexpr Window kWindow3x3{{.kernel = 3, .pad_before = 1, .pad_after = 1},
                            {.kernel = 3, .pad_before = 1, .pad_after = 1}};

Conv2dBm1880 conv() {
  return {.out = aligned(0, {1, 2, 4, 4}),
          .in = aligned(256, {1, 3, 4, 4}),
          .weight = conv_weight(512, {3, 2, 3, 3}, DType::i8),
          .bias = conv_bias(chip, 1024, 2, true),
          .window = kWindow3x3};
}

Winograd2d winograd() {
  return {.out = aligned(0, {1, 2, 4, 4}),
          .in = aligned(256, {1, 3, 4, 4}),
          .weight = local_tensor(chip, 512, {3, 2, 4, 4}, /*aligned=*/false, DType::i8),
          .window = kWindow3x3};
}

Depthwise2dBm1880 depthwise() {
  return {.out = aligned(0, {1, 3, 4, 4}),
          .in = aligned(256, {1, 3, 4, 4}),
          .weight = aligned(512, {1, 3, 3, 3}),
          .window = kWindow3x3};
}

Pool2dBm1880 pool(Pool2dBm1880::Kind kind) {
  return {.kind = kind,
          .out = aligned(0, {1, 3, 4, 4}),
          .in = aligned(256, {1, 3, 4, 4}),
          .window = kWindow3x3};
}

MatrixMac product() {
  return {.res = local_matrix(chip, 0, 2, 10, DType::i16),
          .left = local_matrix(chip, 1024, 2, 40, DType::i8),
          .right = local_matrix(chip, 2048, 40, 10, DType::i8)};
}

MatrixMac2 product2() {
  return {.res = aligned(0, {1, 256, 1, 256}),
          .left = aligned(8192, {1, 256, 1, 256}),
          .right = aligned(16384, {256, 16, 1, 16})};
}

Elementwise pointwise(Elementwise::Kind kind) {
  const Shape s{1, 3, 4, 4};
  return {.kind = kind, .out = aligned(0, s), .a = aligned(256, s), .b = aligned(512, s)};
}

Elementwise sum16(Elementwise::Kind kind) {
  const Shape s{1, 3, 4, 4};
  return {.kind = kind, .out = wide(0, s), .a = wide(256, s), .b = wide(512, s)};
}

Elementwise shift16() {
  Elementwise op = sum16(Elementwise::Kind::shift);
  op.b = aligned(512, op.out.shape);
  return op;
}

Mdsum channel_sum() {
  return {.out = local_tensor(chip, 0, {1, 3, 1, 1}, /*aligned=*/false, DType::i8),
          .a = aligned(256, {2, 3, 4, 4})};
}

Lut lookup() {
  return {.out = aligned(0, {1, 3, 4, 4}),
          .in = aligned(256, {1, 3, 4, 4}),
          .table = aligned(512, {1, 32, 16, 16})};
}

DmaTensor load() {
  const Shape s{2, 3, 4, 4};
  return {.dst = aligned(0, s), .src = global_tensor(0, s)};
}

DmaMatrix load_matrix() {
  return {.dst = local_matrix(chip, 0, 4, 40, DType::i8), .src = global_matrix(0, 4, 40, 40)};
}

DmaLrnShift lrn() {
  return {.dst = aligned(0, {1, 5, 4, 4}), .src = aligned(256, {1, 5, 4, 4}), .step = 2};
}

DmaWinogradKernel kernels() {
  return {.dst = local_tensor(chip, 0, {1, 5, 4, 16}, /*aligned=*/false, DType::i8),
          .src = global_tensor(0, {1, 5, 4, 9})};
}

// Returns check() of a legal operation after one change. If the operation were not legal before, it
// would report its own error, which the harness detects.
template <class Op, class F>
Status broken(Op op, F&& change) {
  TW_RETURN_IF_ERROR(check(op, chip));
  change(op);
  return check(op, chip);
}

using Kind = Elementwise::Kind;
const auto mul = [] { return pointwise(Kind::mul); };

TW_TRIGGER(ops_chip, [] { return check(Operation(mul()), bm1684x()); });
TW_TRIGGER(ops_space, [] { return broken(mul(), [](auto& op) { op.a.space = Space::global; }); });
TW_TRIGGER(ops_extent, [] { return broken(mul(), [](auto& op) { op.out.shape.c = 4096; }); });
TW_TRIGGER(ops_height_width, [] { return broken(mul(), [](auto& op) { op.out.shape.w = 1025; }); });
TW_TRIGGER(ops_shape_mismatch, [] { return broken(mul(), [](auto& op) { op.b.shape.h = 5; }); });
TW_TRIGGER(ops_width, [] { return broken(mul(), [](auto& op) { op.a.dtype = DType::i16; }); });
TW_TRIGGER(ops_result_sign,
           [] { return broken(mul(), [](auto& op) { op.out.dtype = DType::u8; }); });
TW_TRIGGER(ops_high_plane,
           [] { return broken(sum16(Kind::add), [](auto& op) { op.a.plane_stride = 0; }); });
TW_TRIGGER(ops_lane_zero, [] { return broken(mul(), [](auto& op) { op.b.address += 65536; }); });
TW_TRIGGER(ops_layout, [] { return broken(conv(), [](auto& op) { op.in.stride.h = 5; }); });
TW_TRIGGER(ops_aligned_start, [] { return broken(conv(), [](auto& op) { op.in.address = 257; }); });
TW_TRIGGER(ops_stride_field, [] { return broken(mul(), [](auto& op) { op.a.stride.n = 65536; }); });
TW_TRIGGER(ops_rshift, [] { return broken(mul(), [](auto& op) { op.rshift = 32; }); });
TW_TRIGGER(ops_lshift, [] { return broken(product(), [](auto& op) { op.lshift = 32; }); });
TW_TRIGGER(ops_aligned_advised,
           [] { return broken(lookup(), [](auto& op) { op.table.address = 513; }); });
TW_TRIGGER(ops_start_lane, [] { return broken(mul(), [](auto& op) { op.a.address += 65536; }); });

TW_TRIGGER(ops_pad, [] { return broken(conv(), [](auto& op) { op.window.h.pad_before = 16; }); });
TW_TRIGGER(ops_insert, [] { return broken(conv(), [](auto& op) { op.window.w.insert = 16; }); });
TW_TRIGGER(ops_window_stride,
           [] { return broken(conv(), [](auto& op) { op.window.w.stride = 0; }); });
TW_TRIGGER(ops_dilation,
           [] { return broken(conv(), [](auto& op) { op.window.h.dilation = 17; }); });
TW_TRIGGER(ops_insert_single, [] {
  return broken(conv(), [](auto& op) {
    op.in = aligned(256, {1, 3, 1, 4});
    op.window.h.insert = 1;
  });
});
TW_TRIGGER(ops_output_extent, [] {
  return broken(conv(), [](auto& op) { op.out = aligned(0, {1, 2, 5, 4}); });
});
TW_TRIGGER(ops_weight_shape, [] {
  return broken(conv(), [](auto& op) { op.weight = conv_weight(512, {4, 2, 3, 3}, DType::i8); });
});
TW_TRIGGER(ops_bias_shape, [] {
  return broken(conv(), [](auto& op) { op.bias = conv_bias(chip, 1024, 3, true); });
});
TW_TRIGGER(ops_no_dilation,
           [] { return broken(depthwise(), [](auto& op) { op.window.h.dilation = 2; }); });
TW_TRIGGER(ops_pool_kernel, [] {
  return broken(pool(Pool2dBm1880::Kind::maximum), [](auto& op) { op.window = {}; });
});
TW_TRIGGER(ops_pool_multiplier, [] {
  return broken(pool(Pool2dBm1880::Kind::average), [](auto& op) { op.multiplier = 256; });
});
TW_TRIGGER(ops_pool_insert, [] {
  return broken(pool(Pool2dBm1880::Kind::maximum), [](auto& op) { op.window.h.insert_last = 1; });
});
TW_TRIGGER(ops_winograd_window,
           [] { return broken(winograd(), [](auto& op) { op.window.h.stride = 2; }); });
TW_TRIGGER(ops_winograd_even, [] {
  return broken(winograd(), [](auto& op) {
    op.window.h.pad_after = 0;
    op.out = aligned(0, {1, 2, 3, 4});
  });
});
TW_TRIGGER(ops_winograd_tiles, [] {
  return broken(winograd(), [](auto& op) {
    op.in = aligned(16384, {1, 3, 128, 128});
    op.out = aligned(0, {1, 2, 128, 128});
  });
});
TW_TRIGGER(ops_winograd_weight,
           [] { return broken(winograd(), [](auto& op) { op.weight.dtype = DType::u8; }); });

TW_TRIGGER(ops_constant, [] {
  return broken(mul(), [](auto& op) {
    op.b_is_constant = true;
    op.constant = 128;
  });
});
TW_TRIGGER(ops_compare_sign,
           [] { return broken(pointwise(Kind::max), [](auto& op) { op.b.dtype = DType::u8; }); });
TW_TRIGGER(ops_compare_result_sign,
           [] { return broken(pointwise(Kind::min), [](auto& op) { op.out.dtype = DType::u8; }); });
TW_TRIGGER(ops_sub_sign,
           [] { return broken(sum16(Kind::sub), [](auto& op) { op.out.dtype = DType::u16; }); });
TW_TRIGGER(ops_shift_sign,
           [] { return broken(shift16(), [](auto& op) { op.a.dtype = DType::u16; }); });
TW_TRIGGER(ops_mdsum_shape,
           [] { return broken(channel_sum(), [](auto& op) { op.out.shape.c = 4; }); });
TW_TRIGGER(ops_mdsum_sign,
           [] { return broken(channel_sum(), [](auto& op) { op.out.dtype = DType::u8; }); });
TW_TRIGGER(ops_lut_table, [] {
  return broken(lookup(), [](auto& op) { op.table = aligned(512, {1, 32, 16, 8}); });
});

TW_TRIGGER(ops_matrix_inner, [] {
  return broken(product(), [](auto& op) { op.left = local_matrix(chip, 1024, 2, 41, DType::i8); });
});
TW_TRIGGER(ops_matrix_result, [] {
  return broken(product(), [](auto& op) { op.res = local_matrix(chip, 0, 3, 10, DType::i16); });
});
TW_TRIGGER(ops_matrix_relu_add,
           [] { return broken(product(), [](auto& op) { op.relu = op.accumulate = true; }); });
TW_TRIGGER(ops_matrix_planes,
           [] { return broken(product(), [](auto& op) { op.res.tensor.plane_stride += 16; }); });
TW_TRIGGER(ops_matrix_unsigned_add, [] {
  return broken(product(), [](auto& op) {
    op.accumulate = true;
    op.res.tensor.plane_stride = op.res.rows * op.res.tensor.stride.n;
    op.left.tensor.dtype = op.right.tensor.dtype = DType::u8;
    op.bias.reset();
  });
});
TW_TRIGGER(ops_matrix2_shape, [] {
  return broken(product2(), [](auto& op) { op.right = aligned(16384, {256, 16, 1, 32}); });
});

TW_TRIGGER(ops_dma_extent, [] { return broken(load(), [](auto& op) { op.src.shape.c = 65536; }); });
TW_TRIGGER(ops_dma_stride,
           [] { return broken(load(), [](auto& op) { op.src.stride.h = 65536; }); });
TW_TRIGGER(ops_dma_packed, [] { return broken(load(), [](auto& op) { op.src.stride.w = 2; }); });
TW_TRIGGER(ops_dma_count, [] {
  return broken(load(), [](auto& op) { op.src = global_tensor(0, {2, 3, 4, 5}); });
});
TW_TRIGGER(ops_dma_transpose,
           [] { return broken(load(), [](auto& op) { op.transpose_nc = true; }); });
TW_TRIGGER(ops_dma_default_strides,
           [] { return broken(load(), [](auto& op) { op.src.stride.n += 1; }); });
TW_TRIGGER(ops_dma_matrix_layout,
           [] { return broken(load_matrix(), [](auto& op) { op.dst.tensor.stride.n += 32; }); });
TW_TRIGGER(ops_dma_space,
           [] { return broken(lrn(), [](auto& op) { op.src.space = Space::global; }); });
TW_TRIGGER(ops_lrn_shape, [] {
  return broken(lrn(), [](auto& op) { op.dst = aligned(0, {1, 6, 4, 4}); });
});
TW_TRIGGER(ops_lrn_step, [] { return broken(lrn(), [](auto& op) { op.step = 5; }); });
TW_TRIGGER(ops_winograd_kernel_shape, [] {
  return broken(kernels(), [](auto& op) { op.src = global_tensor(0, {1, 5, 4, 16}); });
});
TW_TRIGGER(ops_winograd_scale, [] { return broken(kernels(), [](auto& op) { op.scale = 16; }); });

}  // namespace
}  // namespace tputwin::testing
