// AxisKernel: base of layers that combine all elements along an axis. The elements of the axis are
// rows or columns of a tile, so that lanes need nothing from each other.
#pragma once

#include <functional>

#include "bmnet/targets/bm1684x/fp32_steps.h"
#include "bmnet/targets/bm1684x/views.h"

namespace tputwin::net::bm1684x {

// Operands in local memory. Factor and offset are repeated over x.
struct AxisInputs {
  TensorView x;
  std::optional<TensorView> factor, offset;
};

// Smaller exponents, and NaN, count as this one. e^-87 and its inverse are normal numbers: so a row
// of scores that are all -infinity, whose differences are NaN, has equal weights.
constexpr float kLeastExponent = -87;

class AxisKernel : public StreamKernel {
 public:
  bool keeps_columns = false;  // the axis is the rows; otherwise rows and columns

  bool can_split_rows() const override { return false; }
  Span input_rows(size_t input, Span) const override { return {0, inputs[input].e.h}; }
  int64_t scratch_bytes(const Extents& output) const override;
  void emit(StreamProgram& program, const Operands& o) const override;

 protected:
  using Kind = Fp32Steps::Kind;
  virtual void compute(Fp32Steps& steps, const TensorView& out, const AxisInputs& in) const = 0;
  // Combines all elements along the axis.
  TensorView folded(Fp32Steps& steps, Kind kind, const TensorView& v) const {
    const TensorView rows = steps.folded(kind, v, true);
    return keeps_columns ? rows : steps.folded(kind, rows, false);
  }

 private:
  AxisInputs inputs_of(const Operands& o) const;
};

// The values of a tensor around an axis: outer x extent x inner.
struct AxisShape {
  int64_t outer = 1, extent = 1, inner = 1;
};
// Returns the shape for one axis, or for all axes from `axis` on.
AxisShape around(const TensorShape& shape, int axis, bool to_the_end);

// A part of the values that one kernel computes: all of the axis, which is h and w of the view.
struct AxisPart {
  Extents e;
  std::optional<ViewSteps> steps;  // none: the view of all layers
  int64_t first = 0;               // element of the tensor
  bool keeps_columns = false;      // the axis is h alone
  // Sets the first input and the output of a kernel, which have the same extents.
  void set_views(const Layer& layer, AxisKernel& kernel) const;
  View view(View whole) const;
};
// Returns how many rows of so many elements a lane holds with all that kernels compute of them, or
// so many times.
int64_t most_axis_rows(int64_t length);
int64_t most_axis_rows(int64_t length, int64_t copies);

// Returns kernels for parts that a lane holds so many times, for the least number of times with
// which a sample of each kernel fits local memory. A part of one row for each lane may not fit.
using PartsOf = std::function<std::vector<AxisPart>(int64_t copies)>;
using MakeKernel = std::function<std::unique_ptr<AxisKernel>(const AxisPart&)>;
Kernels fitting_kernels(const PartsOf& parts_of, const MakeKernel& make);
// Returns the kernels of a layer that works along an axis, one for each part of the view's values.
Kernels axis_kernels(const View& view, const AxisShape& shape, const MakeKernel& make);
Kernels axis_kernels(const Layer& layer, int axis, const MakeKernel& make);

}  // namespace tputwin::net::bm1684x
