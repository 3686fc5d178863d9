// ByteLayer: a layer of bytes, and what its kernels share: views of cells, and lowering.
#pragma once

#include "bmnet/integers/integers.h"
#include "bmnet/targets/bm1684/bytes/cells.h"
#include "bmnet/targets/bm1684x/kernel.h"
#include "bmnet/targets/bm1684x/window.h"

namespace tputwin::net::bm1684 {

using bm1684x::Kernels;
using bm1684x::Layer;
using bm1684x::StreamProgram;

// A layer of bytes with its integers.
struct ByteLayer {
  const Layer& layer;
  const LayerIntegers& integers;

  // Returns an input or output as cells.
  View input(int index = 0) const;
  View output() const;
};

// Returns the kernels of a layer of bytes, or of a cast.
Kernels lower_bytes(const Layer& layer, const LayerIntegers& integers);

Kernels lower_cells_convolution(const ByteLayer& layer);
Kernels lower_cells_inner_product(const ByteLayer& layer);
Kernels lower_cells_scale(const ByteLayer& layer);
Kernels lower_cells_pooling(const ByteLayer& layer);
Kernels lower_cells_eltwise(const ByteLayer& layer);
Kernels lower_cells_relu(const ByteLayer& layer);
Kernels lower_cells_concat(const ByteLayer& layer);
Kernels lower_cells_table(const ByteLayer& layer);
Kernels lower_cells_cast(const ByteLayer& layer);

// Returns the bytes of cells: four images for each cell.
TensorView bytes_of_cells(TensorView cells);
inline TensorView bytes_of(const Local& local) {
  return bytes_of_cells(bm1684x::view_of(local, DType::b32));
}
// Adds out = max(out, 0).
void emit_byte_relu(StreamProgram& program, const TensorView& bytes);
// Adds out = sat8(rhu(in * multiplier, shift)); the multiplier is an unsigned or a signed byte.
void emit_scaled(StreamProgram& program, const TensorView& out, const TensorView& in,
                 int multiplier, bool is_signed, int shift);

}  // namespace tputwin::net::bm1684
