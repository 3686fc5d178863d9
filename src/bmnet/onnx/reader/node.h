// A node of the model, as its importer sees it. Errors are thrown as a Refusal.
#pragma once

#include <span>
#include <string_view>

#include "bmnet/onnx/reader/graph.h"
#include "bmnet/onnx/reader/subgraphs.h"

namespace tputwin::net::onnx_reader {

// The domain of operators that ONNX Runtime adds.
constexpr std::string_view kMicrosoft = "com.microsoft";
// The domain of operators that only expansions use: Keep, Drop, Choose and Function.
constexpr std::string_view kInternal = "tputwin";
// The opset of the nodes of expansions.
constexpr int64_t kExpansionOpset = 21;

class Node {
 public:
  // `wanted` has the outputs with readers.
  Node(Graph& graph, const onnx::NodeProto& proto, int64_t opset, std::vector<const Value*> inputs,
       std::string folder, const std::set<std::string>& wanted)
      : graph(graph),
        proto(proto),
        opset(opset),
        inputs_(std::move(inputs)),
        folder_(std::move(folder)),
        wanted_(wanted),
        first_op_(graph.network.ops.size()),
        outputs_(static_cast<size_t>(proto.output_size())) {}

  Graph& graph;
  const onnx::NodeProto& proto;
  const int64_t opset;

  // ---- Refusals ----
  std::string where() const;
  [[noreturn]] void refuse(std::string_view what, const std::string& value, std::string why) const;
  void require(bool holds, std::string_view what, const std::string& value, std::string why) const {
    if (!holds) refuse(what, value, std::move(why));
  }

  // ---- Attributes ----
  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  int64_t integer(std::string_view attribute, int64_t otherwise) const;
  float real(std::string_view attribute, float otherwise) const;
  std::string text(std::string_view attribute, const std::string& otherwise) const;
  Dims integers(std::string_view attribute) const;
  std::vector<std::string> texts(std::string_view attribute) const;
  std::vector<float> reals(std::string_view attribute) const;
  ConstantPtr tensor_attribute(std::string_view attribute) const;
  // Returns the axis counted from the first.
  size_t axis(int64_t value, size_t axes) const;

  // ---- Inputs ----
  size_t inputs() const { return inputs_.size(); }
  bool has(size_t input) const { return input < inputs_.size() && inputs_[input] != nullptr; }
  const Value& in(size_t input) const;
  const Dims& dims(size_t input = 0) const { return in(input).dims; }
  bool is_constant() const;  // true if every input is a constant
  // Returns a constant input; nullptr if the input is missing or a tensor of the net.
  const Constant* constant(size_t input) const;
  // Returns the value of an input that must be a constant of one integer.
  int64_t whole(size_t input, std::string_view what) const;
  // Returns an input that must be a constant.
  const Constant& weights(size_t input, std::string_view what) const;
  // Returns values of an input, or of the attribute in earlier opsets; nullopt if both are missing.
  std::optional<Dims> list(size_t input, std::string_view attribute) const;
  // Returns the net's tensor of an input, in its own form or with other extents. A constant becomes
  // a tensor that the host computes.
  std::string tensor(size_t input = 0) const;
  std::string tensor(size_t input, const Dims& dims) const;

  // ---- The net ----
  // Adds an operation with these bottoms. Returns its result.
  std::string add(TensorOp op, std::initializer_list<std::string> bottoms, std::string_view what,
                  std::vector<Blob> blobs = {});
  std::string view(const std::string& tensor, const Dims& dims) { return graph.view(tensor, dims); }
  // ---- Results ----
  void set(const std::string& tensor, const Dims& dims, size_t output = 0);
  void set(ConstantPtr constant, size_t output = 0);
  void set(Value value, size_t output = 0);
  // Sets the outputs to the tops of the last op, a split.
  void set_parts(const std::vector<Dims>& dims);
  bool wants(size_t output) const;
  std::vector<std::optional<Value>>& outputs() { return outputs_; }
  // The nodes that stand for this one; empty if the node is imported itself.
  Nodes& expansion() { return expansion_; }
  int64_t expansion_opset = kExpansionOpset;
  // Returns a name of the model's tensors that is not taken, for a tensor of the expansion.
  std::string fresh_name(std::string_view what);

  // ---- What the node was made of ----
  std::string label() const;
  const std::vector<const Value*>& values() const { return inputs_; }
  const std::string& folder() const { return folder_; }
  const std::set<std::string>& wanted() const { return wanted_; }
  const onnx::AttributeProto* find(std::string_view attribute) const;

 private:
  void refuse_infinite(const TensorOp& op, const std::vector<Blob>& blobs) const;
  std::vector<const Value*> inputs_;
  std::string folder_;
  const std::set<std::string>& wanted_;
  size_t first_op_;
  std::vector<std::optional<Value>> outputs_;
  Nodes expansion_;
  size_t fresh_names_ = 0;
};

// Folds constants: returns the result of a node whose inputs are constants. For shapes, only the
// shape of the input must be known.
using Fold = ConstantPtr(const Node&);
using Import = void(Node&);

struct OperatorRow {
  std::string_view domain, name;  // the domain "" is ai.onnx
  int64_t first, last;            // opsets
  Import* import;                 // nullptr: accepts constants only
  Fold* fold;                     // nullptr: has no folder
  bool expands;                   // the importer makes an Expansion, of constants as well
};
// Returns the row of this name; nullptr if there is none.
const OperatorRow* find_operator(std::string_view domain, std::string_view name);
// Folds a node with constant inputs and no folder: runs its operations in float. Sets the outputs.
void fold_by_execution(Node& node, const OperatorRow& row);

#define TW_ONNX(name, first, last, importer, folder, note) \
  void import_##importer(Node&);                           \
  ConstantPtr fold_##folder(const Node&);
#define TW_ONNX_EXPANDED(name, first, last, expander, note) void expand_##expander(Node&);
#define TW_MICROSOFT(name, expander, note) void expand_##expander(Node&);
#include "bmnet/onnx/operators.def"
// A Where whose operands must have the same extents.
void import_choose(Node&);
// x where the condition holds (Keep) or does not hold (Drop), else 0.
void import_keep(Node&);
void import_drop(Node&);
// The real numbers that a tensor has for its integers.
void import_real(Node&);
// A tensor as it is, whose threshold is that of the integers `type` less `zero`.
void import_span(Node&);
// Whole numbers that are integers `type` of ONNX.
void import_as_integers(Node&);
// A tensor whose extents are known at run time, with zeros up to the largest ones.
void import_fill(Node&);
// The beginning of a tensor: as many elements as another one has, along the first axes.
void import_cut(Node&);
// Gathers what the taps of a deformable convolution read.
void import_deformable_gather(Node&);
// Operators of the host (on_host.h).
void import_of_host(Node&);
// The tg_function that the attribute `name` names, with integers as `arguments`.
void import_function(Node&);
// Folds two constants. Operators with more operands are expanded.
ConstantPtr fold_max(const Node&);
ConstantPtr fold_min(const Node&);

// ---- Shared by importers ----

// Returns the extent of axis 1 of the first input, which must have two axes or more.
int64_t channels_of(const Node& node);
// A Cast of a quantized tensor: its integers, round(x / scale) + zero within the type.
void expand_cast_of_quantized(Node& node, int type);
// Refuses a Cast to a type that is_cast_type() does not name.
void require_cast_type(const Node& node, int type);

TensorOp make_op(Op type);
// Transposes a tensor by moves of at most four axes.
std::string transposed(Node& node, std::string tensor, const Dims& dims,
                       const std::vector<size_t>& order, std::string_view what);
Dims permuted(const Dims& dims, const std::vector<size_t>& order);
// Returns the product of dims from `begin` to `end`.
int64_t run(const Dims& dims, size_t begin, size_t end);
// Returns the shape around an axis: (outer, axis, inner).
Dims around(const Dims& dims, size_t axis);
Dims broadcast(const Node& node, const Dims& a, const Dims& b);
std::string unary(Node& node, const std::string& tensor, std::string_view function,
                  std::vector<float> arguments = {}, std::string_view what = "");
// Adds (shift + scale * x)^exponent.
std::string power(Node& node, const std::string& tensor, float scale, float shift, float exponent,
                  std::string_view what);
// Adds factor * x + offset per channel (axis 1).
std::string scaled(Node& node, const std::string& tensor, std::vector<float> factor,
                   std::vector<float> offset, std::string_view what);

// ---- Windows (auto_pad, pads, ceil_mode ...) ----
struct WindowAxis {
  int64_t kernel = 1, stride = 1, dilation = 1, before = 0, behind = 0, outputs = 0;
  int64_t reach() const { return (kernel - 1) * dilation + 1; }
};
struct NodeWindow {
  WindowAxis rows, columns;
};
// Reads the window of x (N,C,H,W), or of (N,C,L) as (N,C,L,1). `kernel` has the extents of the
// weights or of kernel_shape.
NodeWindow read_window(const Node& node, const Dims& kernel);
// Returns the same for a map of any number of axes.
std::vector<WindowAxis> read_windows(const Node& node, const Dims& kernel);
// Returns the window of a ConvTranspose. Pads are what is cut off the whole result.
std::vector<WindowAxis> read_transposed_windows(const Node& node, const Dims& kernel);
// Returns true if import_conv() expands a convolution with these weights.
bool is_conv_of_parts(const Node& node, const Constant& w);
// Returns the net's extents of a map with one or two axes.
Dims map_dims(const Node& node, const Dims& dims);
// Inverse of map_dims(): drops the last axis if the map has one axis.
Dims result_dims(const Dims& like, const Dims& net);

// ---- Before the nodes ----
// Returns an error for each tensor with two producers: nodes, inputs or initializers.
std::vector<Error> repeated_names(const onnx::GraphProto& graph);
// Returns the results of each DynamicQuantizeLinear whose readers need no integers of it: values
// may stay floats, with scale 1 and zero point 0. Nodes must be sorted.
std::set<std::string> dynamic_floats(const onnx::GraphProto& graph);

// Tensors, and their views, that some QuantizeLinear reads and that are not `one_scale`. Nodes that
// are not `needed` do not count.
std::map<std::string, QuantizedBy> quantized_readers(const onnx::GraphProto& graph,
                                                     const std::vector<bool>& needed);

// ---- Constants as tensors ----
// Adds a tensor with the values of a constant, named `name` if that is free. Returns its name.
std::string constant_tensor(Graph& graph, const std::string& name, const Constant& constant);
// Does the same for integers, which must be exact, by operators of the host.
std::string integers_of_host(Graph& graph, const std::string& name, const Constant& constant);
// Sets the thresholds of those tensors, if the model has thresholds.
void set_constant_thresholds(Graph& graph);

// ---- Passes after the nodes ----
// Replaces products of a tensor with a function of itself by one function. Tensors that are
// `outputs` stay.
void fuse_gates(Graph& graph, const std::set<std::string>& outputs);
void fold_scales(Graph& graph);
void fold_pads(Graph& graph);
// Derives thresholds of tensors between those that have one, and their upper bounds.
void spread_thresholds(Graph& graph);

}  // namespace tputwin::net::onnx_reader
