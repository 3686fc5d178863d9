// LayerParts: the layers that replace one layer.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"
#include "bmnet/lowering/tile.h"

namespace tputwin::net::bm1684x {

// A tensor between the parts.
struct PartTensor {
  std::string name;
  std::vector<int64_t> dims;
};

class LayerParts {
 public:
  // The layer `whole` is replaced. Blobs of new layers go to `network`.
  LayerParts(TensorOp whole, Network& network) : whole_(std::move(whole)), network_(network) {}

  const TensorOp& whole() const { return whole_; }
  PartTensor input() const { return {whole_.bottom(0), dims(whole_.input_shape(0))}; }
  const std::vector<Blob>& blobs() const { return network_.blobs.at(whole_.name()); }
  // Returns none if the layer has none.
  std::vector<Blob> copied_blobs() const {
    const auto found = network_.blobs.find(whole_.name());
    return found == network_.blobs.end() ? std::vector<Blob>() : found->second;
  }

  // Adds a layer that reads `inputs`; its shape is inferred. `op` has type and parameters.
  PartTensor add(TensorOp op, const std::vector<PartTensor>& inputs, std::vector<Blob> blobs = {});
  // Tensors whose values are those of the whole layer's input and result, or a part of them, get
  // these thresholds.
  void set_threshold_of_input(const PartTensor& t) { like_input_.push_back(t.name); }

  // Layers whose results stay fp32: they compute in fp32, whatever the type of the net.
  void set_fp32(const PartTensor& t) { fp32_.insert(t.name); }
  const std::set<std::string>& fp32() const { return fp32_; }
  // A part of a sum may exceed the threshold of the sum.
  void set_partial_sum(const PartTensor& t) { partial_.insert(t.name); }
  const std::set<std::string>& partial() const { return partial_; }

  PartTensor reshape(const PartTensor& x, const std::vector<int64_t>& to);
  PartTensor permute(const PartTensor& x, const std::vector<uint32_t>& order);
  PartTensor crop(const PartTensor& x, const std::vector<int64_t>& offset,
                  const std::vector<int64_t>& to);
  PartTensor concat(const std::vector<PartTensor>& parts, int axis);
  PartTensor tile(const PartTensor& x, int axis, int64_t tiles);

  // Ends with a tensor that becomes the result. Returns the first error, or the layers.
  Result<std::vector<TensorOp>> finish(const PartTensor& result);
  const std::vector<std::string>& like_input() const { return like_input_; }

 private:
  std::string next_name();

  TensorOp whole_;
  Network& network_;
  std::vector<TensorOp> ops_;
  std::vector<std::string> like_input_;
  std::set<std::string> fp32_, partial_;
  Status status_;
};

// Each replaces the layer by parts. A layer that they cannot replace keeps what does not fit.
PartTensor fit_max_pooling(LayerParts& parts);
PartTensor fit_average(LayerParts& parts);
PartTensor fit_upsample(LayerParts& parts);
PartTensor fit_convolution(LayerParts& parts);
PartTensor fit_deconvolution(LayerParts& parts);
PartTensor fit_dilated_deconvolution(LayerParts& parts);

// True for a dilation beyond that of commands.
bool is_too_dilated(const Window2d& window);
PartTensor fit_dilation(LayerParts& parts);

// True for products of fp32 matrices whose rows are too long; their parts are summed.
bool is_long_product(const TensorOp& op, DType type);
PartTensor fit_product(LayerParts& parts, DType type);

// The sum of two parts, and a part after a ReLU if there is one. Both are fp32.
PartTensor add_parts(LayerParts& parts, const PartTensor& a, const PartTensor& b);
PartTensor rectified(LayerParts& parts, const PartTensor& x, bool is_rectified);

// True for convolutions whose weights do not fit a lane, or whose channels exceed a command.
bool is_heavy_convolution(const TensorOp& op, DType type);
PartTensor fit_heavy_convolution(LayerParts& parts, DType type);
// True for layers that compute each channel alone, or with few neighbours, and have too many.
bool has_too_many_channels(const TensorOp& op);
PartTensor fit_channel_ranges(LayerParts& parts);
PartTensor fit_many_normalized(LayerParts& parts);

// True if a map has more columns than windows of the chip may have.
bool is_too_wide(const Window2d& window, const Extents& in, const Extents& out);
// At least `count` ranges of columns.
PartTensor fit_wide_map(LayerParts& parts, int64_t count = 1);
PartTensor fit_wide_upsample(LayerParts& parts, int64_t count = 1);
PartTensor columns_of_part(LayerParts& parts, const PartTensor& x, Span columns);
PartTensor join_columns(LayerParts& parts, const std::vector<PartTensor>& ranges);

struct Sides {
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  int64_t largest() const { return std::max({top, bottom, left, right}); }
};
// Adds zeros around rows and columns: windows by channel of one element, whose pads fit.
PartTensor add_zeros(LayerParts& parts, PartTensor x, Sides sides);
// Adds a convolution like the layer, without insertion, with a kernel, pads, strides and dilations
// of its own.
PartTensor convolve(LayerParts& parts, const PartTensor& x, const Window2d& w,
                    std::vector<Blob> blobs, int64_t outputs);

// Takes each step-th row and column, `rows` and `columns` of them.
PartTensor every(LayerParts& parts, PartTensor x, int64_t row_step, int64_t rows,
                 int64_t column_step, int64_t columns);

}  // namespace tputwin::net::bm1684x
