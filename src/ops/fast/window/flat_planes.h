// Windows with stride 1 over planes of bytes whose results have the width of the inputs. A plane is
// walked as one run, across its rows. Masks mark where a tap is beyond the end of a row.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "memory/tensor_view.h"
#include "ops/contract/window.h"

namespace tputwin::fast {

class FlatPlanes {
 public:
  static bool cover(const Window& window, const TensorView& in, const TensorView& out) {
    const auto by_one = [](const Axis& a) {
      return a.stride == 1 && a.dilation == 1 && a.insert == 0 && a.insert_last == 0;
    };
    const auto has_no_gaps = [](const TensorView& v) {
      return v.shape.h == 1 || v.stride.h == v.shape.w;
    };
    return by_one(window.h) && by_one(window.w) && out.shape.w == in.shape.w &&
           window.w.kernel <= kSlack && has_no_gaps(in) && has_no_gaps(out);
  }

  // `padding` must be a value that has no effect on a result.
  void set_up(const Window& window, const Shape& in, const Shape& out, uint8_t padding) {
    width_ = in.w;
    inputs_ = size_t{in.h} * in.w;
    results_ = size_t{out.h} * out.w;
    first_ = size_t{window.h.pad_before} * in.w;
    for (size_t i = 0; i < kAtOnce; ++i) {
      rows_[i].assign(results_ + size_t{window.h.kernel} * in.w + kSlack, padding);
      columns_[i].assign(results_ + 3 * kSlack, padding);
    }
    inside_.assign(window.w.kernel * mask_bytes(), 0xff);
    for (uint32_t kw = 0; kw < window.w.kernel; ++kw)
      for (uint32_t x = 0; x < in.w; ++x)
        if (window.w.source(x, kw, in.w) < 0)
          for (size_t i = x; i < results_; i += width_) inside_[kw * mask_bytes() + i] = 0;
    pad_ = window.w.pad_before;
  }
  // Copies plane `i` into its buffer. The padding stays. Neighbouring planes have separate buffers,
  // so that loads do not wait for bytes just written.
  void load(size_t i, const uint8_t* plane) {
    std::memcpy(rows_[i % kAtOnce].data() + first_, plane, inputs_);
  }

  size_t results() const { return results_; }
  // under_row() returns the bytes of plane `i` under row `kh` of the windows. columns() returns the
  // buffer for results that are computed from the columns under a window. Up to kSlack bytes after
  // the last result are read, and may be written.
  const uint8_t* under_row(size_t i, size_t kh) const {
    return rows_[i % kAtOnce].data() + kh * width_;
  }
  uint8_t* columns(size_t i) { return columns_[i % kAtOnce].data() + kSlack; }
  // under_column() returns the bytes of the column buffer under column `kw`. inside() returns a
  // mask of all ones where these are in the same row.
  const uint8_t* under_column(size_t i, size_t kw) const {
    return columns_[i % kAtOnce].data() + kSlack + kw - pad_;
  }
  const uint8_t* inside(size_t kw) const { return inside_.data() + kw * mask_bytes(); }

 private:
  static constexpr size_t kSlack = 64, kAtOnce = 2;
  size_t mask_bytes() const { return results_ + kSlack; }
  size_t width_ = 0, inputs_ = 0, results_ = 0, first_ = 0, pad_ = 0;
  std::array<std::vector<uint8_t>, kAtOnce> rows_, columns_;
  std::vector<uint8_t> inside_;  // for each column of a window
};

}  // namespace tputwin::fast
