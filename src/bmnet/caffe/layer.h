// The interface of importers of Caffe types. An importer records problems and continues, so that
// all problems of a net are reported at once. If shapes are not known (earlier layers have
// problems), it checks parameters only.
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
constexpr int64_t kMaxExtent = 65535;      // largest kernel, stride, pad or factor
constexpr int64_t kMaxOutputs = 16777215;  // largest num_output

// Returns the saturating product of extents that are not negative.
int64_t volume(const Dims& dims, size_t begin = 0, size_t end = SIZE_MAX);
std::string describe(const Dims& dims);

class Importer {
 public:
  Importer(const caffe::LayerParameter& layer, TensorOp& op, bool needs_weights, bool shapes_known)
      : caffe(layer), op(op), needs_weights_(needs_weights), shapes_known_(shapes_known) {}

  const caffe::LayerParameter& caffe;
  TensorOp& op;
  // True if the layer moves nothing: its tops are its bottom.
  bool is_removed = false;

  // ---- Problems ----
  void problem(ErrorId id, std::string_view argument, std::string value, std::string detail = "");
  void parameter(std::string_view name, std::string value, std::string detail) {
    problem(errors::net_layer_parameter, name, std::move(value), std::move(detail));
  }
  // Returns true if value is in [low, high]. Otherwise records a problem.
  bool range(std::string_view name, int64_t value, int64_t low, int64_t high);
  bool finite(std::string_view name, double value);
  bool positive(std::string_view name, double value);
  const std::vector<Error>& problems() const { return problems_; }

  // ---- Shapes ----
  // Returns true if shapes of bottoms are known and no problem was found. Other functions of shapes
  // require this.
  bool ready() const { return shapes_known_ && problems_.empty(); }
  int bottoms() const { return op.bottom_size(); }
  int tops() const { return op.top_size(); }
  Dims dims(int bottom = 0) const { return net::dims(op.input_shape(bottom)); }
  Extents extents(int bottom = 0) const { return net::extents(op.input_shape(bottom)); }
  // Sets `result` to the axis counted from the first. Records a problem if the shape has no such
  // axis.
  bool axis(std::string_view name, int64_t value, const Dims& dims, int& result);
  bool axes_at_least(size_t count, int bottom = 0);
  bool same_dims(int a, int b);
  // Sets the shape of the next top.
  void output(const Dims& dims);
  void output(const Dims& dims, bool is_float);
  void output_like_input() { output(dims()); }

  // ---- Weights ----
  // Checks that the layer has these blobs. Moves their values to blobs(), in these shapes.
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

// Returns the first problem. Its detail has all of them, one a line.
Error combine(const std::vector<Error>& problems);

constexpr int kMany = 1024;

// A Caffe type.
struct LayerKind {
  enum Role { compute, input, silence, dropped, unsupported };
  std::string_view type;
  void (*import)(Importer&) = nullptr;
  Role role = compute;
  int min_bottoms = 1, max_bottoms = 1, min_tops = 1, max_tops = 1;
  // Returns the layers that the layer expands to, by its parameters and input shapes; none if it is
  // not expanded.
  std::vector<caffe::LayerParameter> (*expand)(const Importer&) = nullptr;
  std::string_view instead = {};  // For unsupported types: the alternative.
};

const LayerKind* find_kind(std::string_view type);
// Returns "; did you mean Convolution?" or "".
std::string suggestion(std::string_view type);

// Returns true if a BatchNorm layer normalizes with the mean and variance of the current batch; its
// blobs do not matter. Caffe does so in the test phase if use_global_stats is false.
inline bool has_own_statistics(const caffe::LayerParameter& layer) {
  const auto& p = layer.batch_norm_param();
  return p.has_use_global_stats() && !p.use_global_stats();
}

// Returns the shape of an input layer's top `index`; empty if the layer does not define it.
Result<Dims> input_dims(const caffe::LayerParameter& layer, int index);
// Returns the extents of an input whose shape is given. An ONNX input of more axes is a tensor of
// four in the net, which has been read with the same shape: its axes from the fourth on are one.
Dims given_dims(const caffe::LayerParameter& layer, int index, const Dims& given);
// Returns the operation of an input, without its tensor.
TensorOp input_op(const std::string& name, const TensorShape& shape);
// Keeps the type of an input that has bytes in its model.
void keep_byte_type(const caffe::LayerParameter& layer, const std::string& tensor,
                    Network& network);
// Reports another first extent of an input that keeps its own.
void check_batch(Importer& input, int index, const Dims& given);

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
