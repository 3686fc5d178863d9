// The layout of window planes.
#include "ops/fast/window/planes.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "ops/fast/walk/copy.h"

namespace tputwin::fast {
namespace {

// Copies dst[i] = the 32-bit value at from + i * step bytes.
void copy_int32(float* dst, const uint8_t* from, size_t count, size_t step) {
  if (step == sizeof(float)) {
    copy_bytes(reinterpret_cast<uint8_t*>(dst), from, count * sizeof(float));
  } else if (step == 2 * sizeof(float)) {
    for (size_t i = 0; i < count; ++i) dst[i] = Memory::load<float>(from + i * 2 * sizeof(float));
  } else {
    for (size_t i = 0; i < count; ++i) dst[i] = Memory::load<float>(from + i * step);
  }
}

}  // namespace

WindowPhases::WindowPhases(const Axis& axis, uint32_t inputs, uint32_t outputs, uint32_t first)
    : axis_(axis), first_(first), length_(outputs + (axis.reach() - 1) / axis.stride) {
  std::array<bool, kMaxStride> used{};
  // the remainders of taps repeat after `stride` taps
  for (uint32_t tap = 0; tap < std::min(axis.kernel, axis.stride); ++tap) {
    const uint32_t remainder = tap * axis.dilation % axis.stride;
    if (used[remainder]) continue;
    used[remainder] = true;
    phase_of_[remainder] = static_cast<uint8_t>(count_);
    inputs_of_[count_++] = find_inputs(remainder, inputs);
  }
}

WindowPhases::Inputs WindowPhases::find_inputs(uint32_t remainder, uint32_t inputs) const {
  const int64_t stride = axis_.stride;
  // the input at position 0
  const int64_t origin = int64_t{remainder} - axis_.pad_before + int64_t{first_} * stride;
  const int64_t first = origin < 0 ? (-origin + stride - 1) / stride : 0;
  const int64_t last = origin < inputs ? (inputs - origin + stride - 1) / stride : 0;
  const int64_t length = length_;
  const int64_t begin = std::min(first, length), end = std::clamp(last, begin, length);
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end),
          static_cast<uint32_t>(begin < end ? begin * stride + origin : 0)};
}

void WindowPlane::lay_out(const uint8_t* first, const Stride& stride, float padding, float* plane,
                          uint32_t number) const {
  for (uint32_t i = 0; i < rows_.count(); ++i) {
    const WindowPhases::Inputs rows = rows_.inputs(i);
    for (uint32_t j = 0; j < columns_.count(); ++j) {
      const WindowPhases::Inputs columns = columns_.inputs(j);
      float* row = plane + ((uint64_t{i} * columns_.count() + j) * images_ + number) * image();
      for (uint32_t y = 0; y < rows_.length(); ++y, row += pitch()) {
        if (y < rows.first || y >= rows.last) {
          std::fill_n(row, pitch(), padding);
          continue;
        }
        const uint64_t input = rows.input + uint64_t{y - rows.first} * step_h_;
        lay_out_row(first + input * stride.h, stride.w, padding, columns, row);
      }
    }
  }
}

void WindowPlane::lay_out_row(const uint8_t* from, uint32_t stride_w, float padding,
                              const WindowPhases::Inputs& inputs, float* row) const {
  std::fill_n(row, inputs.first, padding);
  copy_int32(row + inputs.first, from + uint64_t{inputs.input} * stride_w,
             inputs.last - inputs.first, uint64_t{step_w_} * stride_w);
  std::fill_n(row + inputs.last, pitch() - inputs.last, padding);
}

bool window_covered(const Window& window, const Shape& in, const Shape& out) {
  auto covered = [](const Axis& axis, uint32_t inputs, uint32_t outputs) {
    return axis.stride >= 1 && axis.stride <= WindowPhases::kMaxStride && axis.kernel >= 1 &&
           axis.dilation >= 1 && axis.insert == 0 && axis.insert_last == 0 &&
           outputs <= axis.output(inputs);
  };
  return in.n == out.n && covered(window.h, in.h, out.h) && covered(window.w, in.w, out.w);
}

}  // namespace tputwin::fast
