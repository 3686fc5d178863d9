// Lowering of layers to kernels of the BM1684X (lowering.def).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "bmnet/integers/quantized_net.h"
#include "bmnet/targets/bm1684x/kernel.h"
#include "bmnet/targets/bm1684x/numbers.h"

namespace tputwin::net::bm1684x {

using Kernels = Result<std::vector<KernelPtr>>;

// Matrices of more rows than this have a row in each channel.
constexpr int64_t kFewRows = 8;

// A layer, and the net that it is part of.
struct Layer {
  const Network& network;
  const TensorOp& op;
  const Types& types;

  // Returns an input or output as (n,c,h,w).
  View view(const std::string& tensor, const TensorShape& shape) const;
  View input(int index) const { return view(op.bottom(index), op.input_shape(index)); }
  View output(int index = 0) const { return view(op.top(index), op.output_shape(index)); }
  // Returns an input with the extents of the output, for layers that compute element by element:
  // one of the two may be viewed as matrices.
  View input_like_output(int index) const;
  const std::vector<Blob>& blobs() const { return network.blobs.at(op.name()); }
  DType type() const { return types.of(op.top(0)).type; }
  // Returns the scales of an input, and of the output.
  float scale_in(int index = 0) const { return types.of(op.bottom(index)).scale; }
  float scale_out() const { return types.of(op.top(0)).scale; }
};

// Returns the kernels of a layer, in order. Layers that only move bytes or rename have none. An
// error names the layer and the rule that it breaks.
Kernels lower(const Network& network, size_t op, const Types& types);

// Declares a function for each row of lowering.def.
#define TW_LOWER(op, function, bytes)     \
  Kernels lower_##function(const Layer&); \
  Kernels lower_##bytes(const Layer&);
#include "bmnet/targets/bm1684x/lowering.def"

// A net of bytes whose tensors hold several bytes in each element.
struct PackedNet {
  QuantizedNet net;
  Types types;
  std::map<std::string, LayerIntegers> layers;  // of bytes, and casts
  std::set<std::string> contiguous;             // tensors whose samples follow each other
  std::set<std::string> maps;                   // cells, and what casts read and write
};
class BytePacking {
 public:
  virtual ~BytePacking() = default;
  // Returns false if a layer of a float net is computed in fp32.
  virtual bool computes_bytes(const TensorOp& op) const = 0;
  // Rewrites a float net, as simplify() does. Returns the table of the new net.
  virtual Result<NetCalibrationParameter> rewrite(Network& network,
                                                  const NetCalibrationParameter& table) const = 0;
  // Quantizes a float net.
  virtual Result<PackedNet> pack(const Network& network,
                                 const NetCalibrationParameter& table) const = 0;
  // Returns the kernels of a layer of `layers`.
  virtual Kernels lower(const Layer& layer, const LayerIntegers& integers) const = 0;
};

// Returns a shape as (n,c,h,w). Tensors of few axes are viewed alike by all layers, so that they
// can stay in local memory: vectors have their elements in channels, matrices their rows.
Extents view_extents(const TensorShape& shape);

// Inner products of many rows.
Kernels lower_rows_product(const Layer& layer);

// Returns a weight of a sum that fp16 does not hold.
std::optional<float> weight_beyond_fp16(const Network& network, const TensorOp& op);

// ---- Shared by the functions ----

// Returns the channels of a view.
View channels_of(View view, Span channels);
// Returns floating-point constants in a type.
std::vector<uint8_t> bytes_of(std::span<const float> values, DType type);
// Returns one constant per channel.
Weight channel_weight(std::span<const float> values, DType type);
// Returns fp32 constants that every lane has.
Weight lane_table(std::span<const float> values);
// Returns the extents of samples whose elements are all read: columns if they are too many for
// channels.
Extents window_extents(int64_t samples, int64_t length);
Error unsupported(const TensorOp& op, std::string_view what, std::string value,
                  std::string_view advice);
template <class K>
std::vector<KernelPtr> one(std::unique_ptr<K> kernel) {
  std::vector<KernelPtr> kernels;
  kernels.push_back(std::move(kernel));
  return kernels;
}

}  // namespace tputwin::net::bm1684x
