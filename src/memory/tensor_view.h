// TensorView: where the elements of an operand live. Every layout rule of a chip ends up as the
// numbers of one of these (see layout.h for the rules).
#pragma once

#include <cstdint>
#include <string>

#include "chip/dtype.h"

namespace tputwin {

// l2 and dtcm: the on-chip system memories of the BM1684, which DMA reaches like global memory.
enum class Space : uint8_t { local, global, l2, dtcm };
constexpr bool is_system(Space s) { return s != Space::local; }

struct Shape {
  uint32_t n = 1, c = 1, h = 1, w = 1;
  constexpr uint64_t count() const { return uint64_t{n} * c * h * w; }
  bool operator==(const Shape&) const = default;
};

// In bytes.
struct Stride {
  uint32_t n = 0, c = 0, h = 0, w = 1;
  bool operator==(const Stride&) const = default;
};

// Local:  element (n,c,h,w) is in lane (L0 + c) mod lanes at byte
//         o0 + n*stride.n + floor((L0 + c) / lanes)*stride.c + h*stride.h + w*stride.w
//         with L0 = address / lane_bytes, o0 = address mod lane_bytes.
// System: byte address + n*stride.n + c*stride.c + h*stride.h + w*stride.w, the address counted
//         from the first usable byte of the memory.
// Packed (pack > 1): `pack` elements of consecutive n lie side by side in one cell; element n is
//         number n mod pack of cell n div pack, and stride.n is the distance of cells. The 4N and
//         2N modes and, with input channels as n, the 2IC mode of the BM1684.
struct TensorView {
  Space space = Space::local;
  DType dtype = DType::i8;
  uint8_t pack = 1;
  // 16-bit types: distance from the low-byte to the high-byte plane; 1 where they are halfwords.
  uint32_t plane_stride = 0;
  uint64_t address = 0;
  Shape shape;
  Stride stride;
  bool operator==(const TensorView&) const = default;
};

// A matrix as its tensor: element (r, c) is tensor element (r, c / W, 0, c mod W), W = shape.w.
// In global memory W = cols, so that the row stride is stride.n.
struct MatrixView {
  TensorView tensor;
  uint32_t rows = 0, cols = 0;
  bool operator==(const MatrixView&) const = default;
};

// Whether an element is one run of bytes (and not two planes).
constexpr bool is_run(const TensorView& v) { return !is_16bit(v.dtype) || v.plane_stride == 1; }
// Bytes of the runs a view is made of: cells, elements, or bytes of a plane.
constexpr uint32_t run_bytes(const TensorView& v) {
  return is_run(v) ? v.pack * element_bytes(v.dtype) : 1;
}
// Cells along n.
constexpr uint32_t cells(const TensorView& v) { return (v.shape.n + v.pack - 1) / v.pack; }

std::string describe(const Shape& shape);    // "(1,32,10,10)"
std::string describe(const Stride& stride);  // "(112,112,10,1)"
// "i8(1,3,4,4)@L+0x60 stride(16,16,4,1)", strides in what the kernel libraries count them in:
// elements, cells where packed, bytes of a plane where an element is two.
std::string describe(const TensorView& view);
const char* to_string(DType dtype);
const char* to_string(Space space);  // "local"

}  // namespace tputwin
