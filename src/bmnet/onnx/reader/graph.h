// The net under construction, and the values that a node's importer works with.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "bmnet/ir/network.h"
#include "bmnet/onnx/reader/constant.h"

namespace tputwin::net::onnx_reader {

// real = (integer - zero) * scale
struct Quantization {
  float scale = 1;
  int64_t zero = 0;
  int type = onnx::TensorProto::UINT8;
  int64_t lowest() const { return range_of(type).first; }
  int64_t highest() const { return range_of(type).second; }
  // True if the real numbers reach as far below 0 as above, but for one step.
  bool is_symmetric() const {
    return zero - lowest() == highest() - zero + (is_integer_type(type) ? 1 : 0);
  }
  // Range of real values that the integers represent.
  double least() const { return static_cast<double>(lowest() - zero) * scale; }
  double most() const { return static_cast<double>(highest() - zero) * scale; }
  // Returns the smallest threshold whose range includes all values: 128 * scale for symmetric int8.
  float threshold() const;
  bool operator==(const Quantization&) const = default;
};

// How the readers of a tensor of floats quantize it.
enum class QuantizedBy : uint8_t {
  one_scale,       // all readers with one scale and zero point, or none
  several_scales,  // all readers, with different ones
  some_readers     // other readers, or the model's user, see the floats
};

// Says what integers, or a condition, mean for a tensor's extents.
struct ExtentFact {
  enum class Kind : uint8_t { extents, extent, count, is_one, is_empty };
  Kind kind = Kind::extents;
  Dims dims;  // the largest extents of the tensor
  bool varies = false;
  std::string tensor;  // of the net
  size_t axis = 0;     // of `extent` and `is_one`
};

// A tensor of the model: of constants, or of the net, whose tensor has the same elements in the
// same order with at most four axes.
// Integers and booleans of ONNX are floats in the net.
enum class ValueKind { real, boolean, integer };

struct Value {
  Dims dims;
  ConstantPtr constant;
  std::string tensor;
  // For integer tensors of the model; the net's tensor holds the real values.
  std::optional<Quantization> quantization;
  // Upper bound of positions (ArgMax, TopK) and of bytes of an input; 0 for other tensors. They are
  // integers in ONNX and floats in the net.
  int64_t positions = 0;
  bool is_bytes = false;   // true for bytes of an input
  bool is_signed = false;  // true for bytes of int8
  ValueKind kind = ValueKind::real;
  // Pads of the lowest value before and after rows and columns, which the tensor does not have: the
  // MaxPool that reads it has them.
  Dims lowest_pads;
  // Bounds the magnitudes of integers.
  double magnitude = std::numeric_limits<double>::infinity();
  int integer_type = 0;  // the type of ONNX, if it is known and the kind is `integer`
  // Operators of the host compute with the value: integers that must be exact, and tensors whose
  // extents are known at run time.
  bool on_host = false;
  // `dims` are the largest extents.
  bool varies = false;
  // The value with the largest extents that this one is the beginning of, along its first
  // `open_axes`, and the tensor of their extents. nullptr: there is none.
  std::shared_ptr<const Value> filled;
  std::string open_extents;
  size_t open_axes = 0;
  Dims largest;  // of a few integers on the host: the largest values, if they are known
  std::optional<ExtentFact> extents;
};

// Returns the net's form of a shape: the shape itself, or with all axes from the fourth on merged.
Dims net_dims(const Dims& dims);

class Graph {
 public:
  Network network;
  std::map<std::string, float> thresholds;  // by tensor
  // Upper bounds of thresholds that the file does not have, for means. Samples give better ones.
  std::map<std::string, float> threshold_bounds;
  // Tensors to leave out if nothing reads them: sums that a softmax computes itself, and their
  // views; cuts of a tensor that the next layers compute whole.
  std::set<std::string> dispensable;
  // By the model's tensors; those that are not listed are `one_scale`.
  std::map<std::string, QuantizedBy> quantized_by;
  // Results of each DynamicQuantizeLinear that may leave its input's floats as they are.
  std::set<std::string> dynamic_floats;
  // Tensors with the values of a constant, and their largest magnitudes.
  std::map<std::string, float> constant_tensors;
  // Those tensors by the constant. Values of constants are kept until the import ends.
  std::map<const Constant*, std::string> tensors_of_constants;
  // Parts of a Where that are the lowest float in place of -inf.
  std::set<std::string> masks;
  std::set<std::string> fresh_names;  // of tensors that nodes in place of others make
  bool has_subnets = false;           // operators of the host may be used
  bool has_open_batch = false;        // the file leaves the first extent of an input open
  // Adds an operation to the net. Sets input shapes, inferred result shapes and names. Returns the
  // result's name, which is that of the op's top, with a tick if the name is taken.
  std::string add(TensorOp op, std::vector<Blob> blobs);
  // Returns a view of the tensor with other extents.
  std::string view(const std::string& tensor, const Dims& dims);
  Dims dims(const std::string& tensor) const;
  // Renames the last op and its top `top` to the names of a node and of its output.
  void rename_last(const std::string& op, int top, const std::string& name);
  void set_threshold(const std::string& tensor, const Quantization& quantization);
  // Returns the tensor that the bytes of `tensor` are copied from by moves, views and ReLU: these
  // have the threshold of their input. Stops at a tensor with a threshold.
  std::string source_of_bytes(std::string tensor) const;
  bool has_name(const std::string& name) const { return names_.contains(name); }
  bool has_op(const std::string& name) const;

 private:
  std::string unique(std::string name);
  std::set<std::string> names_;
  std::map<std::string, TensorShape> shapes_;
  std::map<std::pair<std::string, Dims>, std::string> views_;
};

}  // namespace tputwin::net::onnx_reader
