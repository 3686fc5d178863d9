// LayerParts: the layers that replace one layer.
#pragma once

#include <map>
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

  // Adds a layer that reads `inputs`; its shape is inferred. `op` has type and parameters.
  PartTensor add(TensorOp op, const std::vector<PartTensor>& inputs, std::vector<Blob> blobs = {});
  // Tensors whose values are those of the whole layer's input and result, or a part of them, get
  // these thresholds.
  void set_threshold_of_input(const PartTensor& t) { like_input_.push_back(t.name); }

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
  Status status_;
};

// Each replaces the layer by parts. A layer that they cannot replace keeps what does not fit.
PartTensor fit_max_pooling(LayerParts& parts);
PartTensor fit_average(LayerParts& parts);
PartTensor fit_upsample(LayerParts& parts);
PartTensor fit_convolution(LayerParts& parts);
PartTensor fit_deconvolution(LayerParts& parts);

// True for products of fp32 matrices whose rows are too long; their parts are summed.
bool is_long_product(const TensorOp& op);
PartTensor fit_product(LayerParts& parts);

// True if a map has more columns than windows of the chip may have.
bool is_too_wide(const Window2d& window, const Extents& in, const Extents& out);
PartTensor fit_wide_map(LayerParts& parts);
PartTensor fit_wide_upsample(LayerParts& parts);

// Takes each step-th row and column, `rows` and `columns` of them.
PartTensor every(LayerParts& parts, PartTensor x, int64_t row_step, int64_t rows,
                 int64_t column_step, int64_t columns);

}  // namespace tputwin::net::bm1684x
