// Views that regroup or repeat the axes of a tensor, and constants as inputs of kernels.
#pragma once

#include <set>

#include "bmnet/targets/bm1684x/kernel.h"
#include "bmnet/targets/bm1684x/lower.h"

namespace tputwin::net::bm1684x {

// Returns the steps of elements that follow each other.
ViewSteps packed_steps(const Extents& e);
// Returns a view of the same elements as `e`, or `view` itself if it has these extents.
View regrouped(View view, const Extents& e);
// Returns a tensor of `e` that is repeated over `to`: extents are 1 or those of `to`.
ViewSteps repeated_steps(const Extents& e, const Extents& to);
// Returns a view with the steps of a tensor that is repeated over `to`. Each lane gets a copy of a
// single channel.
View repeated(View view, const Extents& to, const ViewSteps& steps);

// Adds constants to a kernel and returns their view. `steps` as in repeated().
View add_constant(StreamKernel& kernel, const Layer& layer, std::string_view name,
                  std::span<const float> values, DType type, const Extents& to,
                  const ViewSteps& steps);

// Returns the tensors of four axes that are matrices: layers that work along the last axes produce
// or read them, and no layer that works on maps. Those of `excluded` are none.
std::set<std::string> matrix_tensors(const Network& network, std::set<std::string> excluded = {});
// Returns the tensors whose views may have other samples than they.
std::set<std::string> regrouped_tensors(const Network& network);

// Returns true if a lane holds `copies` of one row of one sample of all tensors, and the scratch,
// and if commands have operands of so many channels and columns.
bool fits_lane(const StreamKernel& kernel, int64_t copies);
// Regroups the tensors of a kernel that computes element by element if one row of one sample does
// not fit a lane: elements are spread over lanes and rows. All its tensors must have equal extents.
void spread_if_large(StreamKernel& kernel);

// Returns a view whose maps have fewer columns, if those of windows have a limit that they exceed.
// Rows and columns have the same elements in the same order.
View narrowed(View view);

// A range of rows in the channels of samples.
struct RowRange {
  int64_t first, n, c;
};
// Returns the channels of an operand that has at most `rounds` in a lane: at least one in each
// lane.
int64_t most_channels(int64_t rounds);
// Divides rows into ranges that are tiles of samples: at most `most` rows per lane in a sample.
std::vector<RowRange> row_ranges(int64_t rows, int64_t most);

// Base of kernels whose inputs are repeated over the result.
class RepeatingKernel : public StreamKernel {
 public:
  bool accepts_rows(size_t input, Span rows, Span held) const override {
    const Span needed = input_rows(input, rows);
    return held.begin <= needed.begin && needed.end <= held.end;
  }
  Span input_rows(size_t input, Span rows) const override {
    return inputs[input].e.h == 1 ? Span{0, 1} : rows;
  }

 protected:
  // Returns an input over the whole tile of the result.
  TensorView repeated_view(const Operands& o, size_t input) const;
};

// Returns a view that is repeated along axes of extent 1.
TensorView repeated_over(TensorView view, const Shape& shape);

}  // namespace tputwin::net::bm1684x
