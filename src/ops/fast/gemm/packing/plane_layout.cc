// Lays out planes of cells.
#include "ops/fast/gemm/packing/plane_layout.h"

#include <algorithm>
#include <array>

#include "numerics/float32.h"
#include "ops/fast/scratch.h"
#include "ops/fast/window/planes.h"

namespace tputwin::fast {

PlaneLayout::PlaneLayout(const PlaneInput& input, const Window& window, const TensorView& in,
                         const Shape& out, const TileWidth& tile)
    : input_(input),
      in_(in),
      insert_h_(window.h.insert + 1),
      insert_w_(window.w.insert + 1),
      dense_(dense_shape(in.shape, window)),
      window_(dense_window(window)),
      parts_(window_, dense_, out,
             {.cells = input.cells(),
              .vector_elements = tile.vector_elements,
              .columns = tile.columns,
              .allows_bands = input.allows_bands() && insert_h_ * insert_w_ == 1}),
      adjacent_step_(reads_adjacent_cells() ? std::min(input.adjacent_cell_step(), input.cells())
                                            : 0),
      plane_cells_(parts_.plane_cells()) {}

PlaneTerms PlaneLayout::terms() const {
  PlaneTerms terms{plane_cells_, {}};
  for (uint32_t kh = 0; kh < window_.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < window_.w.kernel; ++kw)
      terms.tap_offset.push_back(static_cast<uint32_t>(parts_.plane().offset(kh, kw)));
  return terms;
}

// The buffer is larger than the planes, because the last tile reads whole vectors.
uint32_t* PlaneLayout::take_buffer() const {
  thread_local Scratch planes;
  return planes.take<uint32_t>(words() + 2 * kTilePitch);
}

void PlaneLayout::lay_out(const Planes& planes, size_t piece) const {
  const auto number = static_cast<uint32_t>(piece), images = planes.part.images;
  if (adjacent_step_ == 0) return lay_out_plane(planes, number % images, number / images);
  for (uint32_t cell = number; cell < input_.cells(); cell += kCellsAtOnce * adjacent_step_)
    lay_out_adjacent(planes, cell);
}

// Returns true if elements of a row are in different cache lines, and elements of different cells
// are adjacent.
bool PlaneLayout::reads_adjacent_cells() const {
  const Axis point;
  constexpr uint32_t kLine = 64;
  return window_.h == point && window_.w == point && in_.shape.h == 1 && parts_.images() == 1 &&
         in_.stride.w >= kLine && input_.adjacent_cell_step() != 0;
}

// Lays out a row of adjacent cells, so that cache lines are read in the order of memory.
void PlaneLayout::lay_out_adjacent(const Planes& planes, uint32_t first) const {
  std::array<const uint8_t*, kCellsAtOnce> from{};
  std::array<uint32_t*, kCellsAtOnce> to{};
  uint32_t count = 0;
  for (uint32_t cell = first; cell < input_.cells() && count < kCellsAtOnce;
       cell += adjacent_step_, ++count) {
    from[count] = input_.words(planes.part.image, cell) + size_t{planes.part.x} * in_.stride.w;
    to[count] = planes.words + cell * plane_cells_;
  }
  for (uint32_t x = 0; x < planes.part.columns; ++x)
    for (uint32_t i = 0; i < count; ++i)
      to[i][x] = Memory::load<uint32_t>(from[i] + size_t{x} * in_.stride.w);
}

void PlaneLayout::lay_out_plane(const Planes& planes, uint32_t image, uint32_t cell) const {
  const uint32_t n = planes.part.image + image;
  auto* plane = reinterpret_cast<float*>(planes.words + cell * plane_cells_);
  const float padding = f32::from_bits(input_.padding(cell));
  const bool inserts = insert_h_ * insert_w_ != 1;
  const uint8_t* words = inserts ? nullptr : input_.words(n, cell);
  if (words != nullptr) return planes.plane.lay_out(words, in_.stride, padding, plane, image);
  // read_rows() overwrites what follows the rows. With several images that may be data of another
  // task.
  if (!inserts && parts_.images() == 1 && planes.plane.keeps_rows())
    return planes.plane.lay_out_rows(padding, plane, [&](uint32_t y, uint32_t rows, float* to) {
      input_.read_rows(n, cell, y, rows, reinterpret_cast<uint32_t*>(to));
    });
  thread_local Scratch scratch;
  const uint64_t size = uint64_t{dense_.h} * dense_.w;
  uint32_t* dense = scratch.take<uint32_t>(size + in_.shape.w + 2 * kTilePitch);
  if (inserts)
    read_inserted(n, cell, dense, dense + size + kTilePitch);
  else
    input_.read_rows(n, cell, 0, in_.shape.h, dense);
  planes.plane.lay_out(reinterpret_cast<const uint8_t*>(dense), {.h = dense_.w * 4, .w = 4},
                       padding, plane, image);
}

void PlaneLayout::read_inserted(uint32_t n, uint32_t cell, uint32_t* dense, uint32_t* row) const {
  std::fill_n(dense, uint64_t{dense_.h} * dense_.w, input_.insertion(cell));
  for (uint32_t y = 0; y < in_.shape.h; ++y, dense += uint64_t{insert_h_} * dense_.w) {
    input_.read_rows(n, cell, y, 1, row);
    for (uint32_t x = 0; x < in_.shape.w; ++x) dense[x * insert_w_] = row[x];
  }
}

}  // namespace tputwin::fast
