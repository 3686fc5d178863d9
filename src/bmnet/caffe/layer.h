// What the importer of a Caffe type works with. It notes problems and goes on, so that all problems
// of a net come out at once; where shapes are not known (the layers before have problems), it
// checks parameters only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/import.h"

namespace tputwin::net {

using Dims = std::vector<int64_t>;

constexpr int64_t kMaxElements = int64_t{1} << 31;
constexpr int kMaxAxes = 4;
constexpr int64_t kMaxExtent = 65535;      // of kernels, strides, pads and factors
constexpr int64_t kMaxOutputs = 16777215;  // of num_output

// Saturating product of extents that are not negative.
int64_t volume(const Dims& dims, size_t begin = 0, size_t end = SIZE_MAX);
std::string describe(const Dims& dims);

class Importer {
 public:
  Importer(const caffe::LayerParameter& layer, TensorOp& op, bool needs_weights, bool shapes_known)
      : caffe(layer), op(op), needs_weights_(needs_weights), shapes_known_(shapes_known) {}

  const caffe::LayerParameter& caffe;
  TensorOp& op;
  bool is_removed = false;  // the layer moves nothing: its tops are its bottom

  // ---- Problems ----
  void problem(ErrorId id, std::string_view argument, std::string value, std::string detail = "");
  void parameter(std::string_view name, std::string value, std::string detail) {
    problem(errors::net_layer_parameter, name, std::move(value), std::move(detail));
  }
  // Whether value is in [low, high]; a problem if not.
  bool range(std::string_view name, int64_t value, int64_t low, int64_t high);
  bool finite(std::string_view name, double value);
  bool positive(std::string_view name, double value);
  const std::vector<Error>& problems() const { return problems_; }

  // ---- Shapes ----
  // Whether shapes of bottoms are known and nothing was wrong so far: only then they can be asked
  // for.
  bool ready() const { return shapes_known_ && problems_.empty(); }
  int bottoms() const { return op.bottom_size(); }
  int tops() const { return op.top_size(); }
  Dims dims(int bottom = 0) const { return net::dims(op.input_shape(bottom)); }
  Extents extents(int bottom = 0) const { return net::extents(op.input_shape(bottom)); }
  // The axis counted from the front; a problem if there is none such.
  bool axis(std::string_view name, int64_t value, const Dims& dims, int& result);
  bool axes_at_least(size_t count, int bottom = 0);
  bool same_dims(int a, int b);
  // Shape of the next top.
  void output(const Dims& dims);
  void output(const Dims& dims, bool is_float);
  void output_like_input() { output(dims()); }

  // ---- Weights ----
  // The layer's blobs are these; their values go to blobs() in these shapes.
  struct Weight {
    const char* name;
    Dims dims;
  };
  void weights(const std::vector<Weight>& wanted);
  std::vector<Blob>& blobs() { return blobs_; }
  bool needs_weights() const { return needs_weights_; }

 private:
  void weight(const Weight& wanted, const caffe::BlobProto& blob);

  std::vector<Error> problems_;
  std::vector<Blob> blobs_;
  bool needs_weights_, shapes_known_;
};

// The first problem, with all of them in its detail, a line each.
Error combine(const std::vector<Error>& problems);

constexpr int kMany = 1024;

// A Caffe type.
struct LayerKind {
  enum Role { compute, input, silence, dropped, unsupported };
  std::string_view type;
  void (*import)(Importer&) = nullptr;
  Role role = compute;
  int min_bottoms = 1, max_bottoms = 1, min_tops = 1, max_tops = 1;
  // The layers that the layer stands for, from its parameters and input shapes; none: itself.
  std::vector<caffe::LayerParameter> (*expand)(const Importer&) = nullptr;
  std::string_view instead = {};  // of unsupported ones: what does the same
};

const LayerKind* find_kind(std::string_view type);
// "; did you mean Convolution?" or "".
std::string suggestion(std::string_view type);

// True if a BatchNorm layer normalizes with the mean and variance of the batch at hand, whatever
// blobs it has: Caffe does so in the test phase if use_global_stats is false.
inline bool has_own_statistics(const caffe::LayerParameter& layer) {
  const auto& p = layer.batch_norm_param();
  return p.has_use_global_stats() && !p.use_global_stats();
}

// Shape of an input layer's top `index`; empty if the layer does not tell.
Result<Dims> input_dims(const caffe::LayerParameter& layer, int index);

// ---- Types that layers_*.cc import, each with its importer ----

std::span<const LayerKind> weighted_layers();
std::span<const LayerKind> pointwise_layers();
std::span<const LayerKind> move_layers();
std::span<const LayerKind> detect_layers();

// ---- Expanders (expand.cc) ----

std::vector<caffe::LayerParameter> expand_inner_product(const Importer&);
std::vector<caffe::LayerParameter> expand_scale(const Importer&);
std::vector<caffe::LayerParameter> expand_bias(const Importer&);
std::vector<caffe::LayerParameter> expand_axpy(const Importer&);
std::vector<caffe::LayerParameter> expand_lrn(const Importer&);
std::vector<caffe::LayerParameter> expand_eltwise(const Importer&);

}  // namespace tputwin::net
