// Encodes DMA operations as GDMA descriptors.
#include "isa/bm1880_codes.h"
#include "memory/layout.h"

namespace tputwin::isa {
namespace {

uint64_t engine_address(const TensorView& view, const Chip& chip) {
  return view.address + (view.space == Space::local ? chip.local_base : chip.global_base);
}

Direction direction(const TensorView& dst, const TensorView& src) {
  if (src.space == Space::global) return dst.space == Space::global ? kGlobalCopy : kLoad;
  return dst.space == Space::global ? kStore : kLocalCopy;
}

GdmaDescriptor start(const TensorView& dst, const TensorView& src, const Chip& chip) {
  GdmaDescriptor d;
  d.direction = direction(dst, src);
  d.dst_addr = engine_address(dst, chip);
  d.src_addr = engine_address(src, chip);
  d.src_n = src.shape.n;
  return d;
}

void set_shapes(GdmaDescriptor& d, const Shape& dst, const Shape& src) {
  d.dst_c = dst.c;
  d.dst_h = dst.h;
  d.dst_w = dst.w;
  d.src_c = src.c;
  d.src_h = src.h;
  d.src_w = src.w;
}

void set_dst_stride(GdmaDescriptor& d, const Stride& stride) {
  d.dst_n_stride = stride.n;
  d.dst_c_stride = stride.c;
  d.dst_h_stride = stride.h;
}

void set_src_stride(GdmaDescriptor& d, const Stride& stride) {
  d.src_n_stride = stride.n;
  d.src_c_stride = stride.c;
  d.src_h_stride = stride.h;
}

void set_explicit_strides(GdmaDescriptor& d, const Stride& dst, const Stride& src) {
  d.enable_stride = 1;
  set_dst_stride(d, dst);
  set_src_stride(d, src);
}

// Returns the strides that the engine assumes when enable_stride is 0.
Stride assumed_stride(const TensorView& view, const Chip& chip) {
  return view.space == Space::local ? local_stride(chip, view.shape, /*aligned=*/true)
                                    : global_stride(view.shape);
}

bool needs_strides(const TensorView& view, const Chip& chip) {
  return view.stride != assumed_stride(view, chip);
}

// Returns the shape of a side of a matrix copy: of the tensor in local memory, else one image of
// rows by columns.
Shape dma_shape(const MatrixView& m) {
  return m.tensor.space == Space::local ? m.tensor.shape : Shape{1, 1, m.rows, m.cols};
}

}  // namespace

GdmaDescriptor encode_dma(const DmaTensor& op, const Chip& chip) {
  GdmaDescriptor d = start(op.dst, op.src, chip);
  set_shapes(d, op.dst.shape, op.src.shape);
  d.special_function = op.transpose_nc ? kTranspose : kPlain;
  bool between_memories = op.dst.space != op.src.space;
  d.copy_chw = between_memories && !op.transpose_nc && op.dst.shape == op.src.shape;
  if (op.explicit_strides || d.direction == kGlobalCopy || needs_strides(op.dst, chip) ||
      needs_strides(op.src, chip))
    set_explicit_strides(d, op.dst.stride, op.src.stride);
  return d;
}

// The row stride of a global side is valid even without enable_stride. A stored matrix leaves dst_c
// at 0.
GdmaDescriptor encode_dma(const DmaMatrix& op, const Chip& chip) {
  GdmaDescriptor d = start(op.dst.tensor, op.src.tensor, chip);
  set_shapes(d, dma_shape(op.dst), dma_shape(op.src));
  d.gmem_data_type = 1;
  d.special_function = op.transpose ? kTranspose : kPlain;
  d.enable_stride = op.explicit_strides || d.direction == kGlobalCopy;
  switch (d.direction) {
    case kLoad:
      d.src_n = op.dst.rows;
      d.src_h_stride = op.src.tensor.stride.n;
      if (d.enable_stride) set_dst_stride(d, op.dst.tensor.stride);
      break;
    case kStore:
      d.src_n = op.src.rows;
      d.dst_c = 0;
      d.dst_h_stride = op.dst.tensor.stride.n;
      if (d.enable_stride) set_src_stride(d, op.src.tensor.stride);
      break;
    default:
      d.src_n = 1;
      d.src_h_stride = op.src.tensor.stride.n;
      d.dst_h_stride = op.dst.tensor.stride.n;
      break;
  }
  return d;
}

// Only the C - step channels that remain are moved; the engine zeroes the others.
GdmaDescriptor encode_dma(const DmaLrnShift& op, const Chip& chip) {
  GdmaDescriptor d = start(op.dst, op.src, chip);
  set_shapes(d, op.dst.shape, op.src.shape);
  d.src_c -= op.step;
  d.dst_c -= op.step;
  if (op.right)
    d.dst_addr += channel_shift(chip, op.step, op.dst.stride.c);
  else
    d.src_addr += channel_shift(chip, op.step, op.src.stride.c);
  set_explicit_strides(d, op.dst.stride, op.src.stride);
  d.special_function = kLrnShift;
  d.copy_chw = 1;
  d.winograd_scale_factor = op.step;
  d.lrn_shift_direction = op.right;
  return d;
}

GdmaDescriptor encode_dma(const DmaWinogradKernel& op, const Chip& chip) {
  GdmaDescriptor d = start(op.dst, op.src, chip);
  set_shapes(d, op.dst.shape, op.src.shape);
  set_explicit_strides(d, op.dst.stride, op.src.stride);
  d.special_function = kWinogradKernel;
  d.winograd_scale_factor = op.scale;
  return d;
}

}  // namespace tputwin::isa
