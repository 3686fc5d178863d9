// Sliding windows over one channel of 32-bit elements without edge cases. Its rows are laid out
// with their padding, split by row and column modulo the strides. Under every tap, the inputs of
// consecutive results are then contiguous, and those of consecutive rows of results are one pitch
// apart. So a whole plane of results is one run of columns; some columns at the end of rows belong
// to no result. Planes of several images are stacked, with rows between them that belong to no
// result.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/memory.h"
#include "ops/contract/window.h"

namespace tputwin::fast {

// One axis of the layout. It has a phase for each position modulo the stride that some tap has.
class WindowPhases {
 public:
  static constexpr uint32_t kMaxStride = 16;

  // Lays out results from `first` on.
  WindowPhases(const Axis& axis, uint32_t inputs, uint32_t outputs, uint32_t first = 0);

  uint32_t count() const { return count_; }
  uint32_t length() const { return length_; }  // length of a phase
  // Return the phase of a tap, and the position in the phase of the input of result 0.
  uint32_t phase(uint32_t tap) const { return phase_of_[tap * axis_.dilation % axis_.stride]; }
  uint32_t offset(uint32_t tap) const { return tap * axis_.dilation / axis_.stride; }
  // Inputs of a phase: positions [first, last) hold inputs, and the first of them is input `input`.
  struct Inputs {
    uint32_t first, last, input;
  };
  const Inputs& inputs(uint32_t phase) const { return inputs_of_[phase]; }

 private:
  // Finds the inputs of the phase whose taps have this remainder.
  Inputs find_inputs(uint32_t remainder, uint32_t inputs) const;

  Axis axis_;
  uint32_t first_, length_, count_ = 0;
  std::array<uint8_t, kMaxStride> phase_of_{};
  std::array<Inputs, kMaxStride> inputs_of_{};
};

class WindowPlane {
 public:
  // Lays out results from row `y` and column `x` on.
  WindowPlane(const Window& window, const Shape& in, const Shape& out, uint32_t images = 1,
              uint32_t y = 0, uint32_t x = 0)
      : rows_(window.h, in.h, out.h, y),
        columns_(window.w, in.w, out.w, x),
        step_w_(window.w.stride),
        step_h_(window.h.stride),
        images_(images),
        extent_(uint64_t{out.h - 1} * columns_.length() + out.w) {}

  uint64_t floats() const { return uint64_t{rows_.count()} * columns_.count() * images_ * image(); }
  uint32_t pitch() const { return columns_.length(); }  // from one row of results to the next
  uint64_t image() const { return uint64_t{rows_.length()} * pitch(); }  // distance of images
  // Number of columns from the first result of an image to after its last one.
  uint64_t extent() const { return extent_; }
  // Returns the position of the input of result 0 under a tap.
  uint64_t offset(uint32_t kh, uint32_t kw) const {
    const uint64_t phase = uint64_t{rows_.phase(kh)} * columns_.count() + columns_.phase(kw);
    return phase * images_ * image() + uint64_t{rows_.offset(kh)} * pitch() + columns_.offset(kw);
  }

  // Lays out one channel of an image, whose first element is `first`.
  void lay_out(const uint8_t* first, const Stride& stride, float padding, float* plane,
               uint32_t number = 0) const;

  // Returns true if whole rows of inputs are contiguous in rows of the plane.
  bool keeps_rows() const { return step_h_ == 1 && step_w_ == 1; }
  // Lays out a plane of a single image that keeps rows. read(y, rows, to) copies rows of the
  // channel, and may write past them as far as the plane has slack.
  template <class Read>
  void lay_out_rows(float padding, float* plane, const Read& read) const {
    const WindowPhases::Inputs rows = rows_.inputs(0), columns = columns_.inputs(0);
    const uint32_t height = rows.last - rows.first;
    std::fill_n(plane, uint64_t{rows.first} * pitch(), padding);
    float* row = plane + uint64_t{rows.first} * pitch();
    if (columns.first == 0 && columns.last == pitch()) {
      read(0, height, row);
      row += uint64_t{height} * pitch();
    } else {
      for (uint32_t y = 0; y < height; ++y, row += pitch()) {
        std::fill_n(row, columns.first, padding);
        read(y, 1, row + columns.first);
        std::fill_n(row + columns.last, pitch() - columns.last, padding);
      }
    }
    std::fill_n(row, uint64_t{rows_.length() - rows.last} * pitch(), padding);
  }

 private:
  void lay_out_row(const uint8_t* from, uint32_t stride_w, float padding,
                   const WindowPhases::Inputs& inputs, float* row) const;

  WindowPhases rows_, columns_;
  uint32_t step_w_, step_h_, images_;
  uint64_t extent_;
};

// Return the window without inserted rows and columns, and the shape of the input that includes
// them.
inline Window dense_window(Window window) {
  window.h.insert = window.w.insert = 0;
  return window;
}
inline Shape dense_shape(const Shape& in, const Window& window) {
  return {in.n, in.c, (in.h - 1) * (window.h.insert + 1) + 1,
          (in.w - 1) * (window.w.insert + 1) + 1};
}

// Returns true if WindowPlane covers the window, and the result has no more rows and columns than
// the window gives.
bool window_covered(const Window& window, const Shape& in, const Shape& out);

}  // namespace tputwin::fast
