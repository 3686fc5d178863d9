// TensorView: the positions of an operand's elements. Every layout rule of a chip becomes the
// numbers of a view (layout.h has the rules).
#pragma once

#include <cstdint>
#include <string>

#include "chip/dtype.h"

namespace tputwin {

// l2 and dtcm are the on-chip system memories of the BM1684, which the DMA reaches like global
// memory.
enum class Space : uint8_t { local, global, l2, dtcm };
constexpr bool is_system(Space s) { return s != Space::local; }

struct Shape {
  uint32_t n = 1, c = 1, h = 1, w = 1;
  constexpr uint64_t count() const { return uint64_t{n} * c * h * w; }
  bool operator==(const Shape&) const = default;
};

// Distances in bytes.
struct Stride {
  uint32_t n = 0, c = 0, h = 0, w = 1;
  bool operator==(const Stride&) const = default;
};

// Local:  element (n,c,h,w) is in lane (L0 + c) mod lanes at byte
//         o0 + n*stride.n + floor((L0 + c) / lanes)*stride.c + h*stride.h + w*stride.w
//         with L0 = address / lane_bytes, o0 = address mod lane_bytes.
// System: byte address + n*stride.n + c*stride.c + h*stride.h + w*stride.w, the address counted
//         from the first usable byte of the memory.
// Packed (pack > 1): `pack` elements of consecutive n are adjacent in one cell. Element n is
//         number n mod pack of cell n div pack, and stride.n is the distance of cells. These are
//         the 4N and 2N modes and, with input channels as n, the 2IC mode of the BM1684.
struct TensorView {
  Space space = Space::local;
  DType dtype = DType::i8;
  uint8_t pack = 1;
  // 16-bit types: bytes from the low-byte plane to the high-byte plane; 1 if the two bytes of an
  // element are adjacent.
  uint32_t plane_stride = 0;
  uint64_t address = 0;
  Shape shape;
  Stride stride;
  bool operator==(const TensorView&) const = default;
};

// A matrix as a tensor: element (r, c) is tensor element (r, c / W, 0, c mod W), W = shape.w. In
// global memory W = cols, so the row stride is stride.n.
struct MatrixView {
  TensorView tensor;
  uint32_t rows = 0, cols = 0;
  bool operator==(const MatrixView&) const = default;
};

// Returns true if an element is one run of bytes (and not two planes).
constexpr bool is_run(const TensorView& v) { return !is_16bit(v.dtype) || v.plane_stride == 1; }
// Returns the bytes of a run of the view: a cell, an element, or a byte of a plane.
constexpr uint32_t run_bytes(const TensorView& v) {
  return is_run(v) ? v.pack * element_bytes(v.dtype) : 1;
}
// Returns the number of cells along n.
constexpr uint32_t cells(const TensorView& v) { return (v.shape.n + v.pack - 1) / v.pack; }

std::string describe(const Shape& shape);    // "(1,32,10,10)"
std::string describe(const Stride& stride);  // "(112,112,10,1)"
// Example: "i8(1,3,4,4)@L+0x60 stride(16,16,4,1)". Strides count elements, cells if packed, or
// bytes of a plane if elements have two planes, like those of the kernel libraries.
std::string describe(const TensorView& view);
const char* to_string(DType dtype);
const char* to_string(Space space);  // "local"

}  // namespace tputwin
