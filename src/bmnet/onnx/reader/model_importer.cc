// The import of a model's graph.
#include "bmnet/onnx/reader/model_importer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"
#include "bmnet/onnx/reader/addends.h"
#include "bmnet/onnx/reader/expansion.h"
#include "bmnet/onnx/reader/integers.h"
#include "bmnet/onnx/reader/kinds.h"
#include "bmnet/onnx/reader/magnitudes.h"
#include "bmnet/onnx/reader/on_host.h"
#include "bmnet/onnx/reader/opsets.h"

namespace tputwin::net::onnx_reader {

ModelImporter::ModelImporter(onnx::ModelProto& model, int64_t opset, const ImportOptions& options,
                             std::string folder)
    : proto_(*model.mutable_graph()), opset_(opset), options_(options), folder_(std::move(folder)) {
  graph_.network.name = proto_.name();
  graph_.has_subnets = options.has_subnets;
}

Result<Graph> ModelImporter::run() {
  for (auto& tensor : *proto_.mutable_initializer()) {
    guard([&] { initializer(tensor); });
    // Its own error is enough: nodes that read it have no further one.
    if (!values_.contains(tensor.name())) unknown_.insert(tensor.name());
  }
  if (proto_.sparse_initializer_size() > 0)
    problems_.push_back(malformed("graph", "sparse initializers; make them dense"));
  for (const Error& problem : repeated_names(proto_)) problems_.push_back(problem);
  graph_.dynamic_floats = dynamic_floats(proto_);
  inputs();
  for (const auto& output : proto_.output()) wanted_.insert(output.name());
  const std::vector<bool> needed = needed_nodes(proto_.node(), wanted_);
  graph_.quantized_by = quantized_readers(proto_, needed);
  for (int i = 0; i < proto_.node_size(); ++i)
    if (needed[static_cast<size_t>(i)]) import_node(proto_.node(i), opset_);
  if (problems_.empty()) guard([&] { finish(); });
  if (!problems_.empty()) return combine(problems_);
  return std::move(graph_);
}

void ModelImporter::initializer(onnx::TensorProto& tensor) {
  auto constant = read_tensor(tensor, folder_);
  Dims dims = constant->dims;
  const bool is_scalar = constant->size() == 1;
  values_[tensor.name()] = Value{std::move(dims), std::move(constant), "", {}};
  // quantized_readers() compares the messages of scales.
  if (is_scalar) return;
  // The numbers are in the constant now: a message that has only the name replaces this one.
  onnx::TensorProto rest;
  rest.set_name(tensor.name());
  tensor.Swap(&rest);
}

// ---- Nodes ----

namespace {

// Returns the operator's row for a node that its schema allows.
const OperatorRow& row_of(const onnx::NodeProto& proto, const Node& node) {
  const std::string domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
  const OperatorRow* row = find_operator(domain, proto.op_type());
  if (row == nullptr && !domain.empty() && domain != kMicrosoft)
    node.refuse("domain", domain, "operators of ai.onnx; export the net without others");
  if (row == nullptr)
    node.refuse(
        "operator", domain.empty() ? proto.op_type() : domain + "." + proto.op_type(),
        "it is not in the table of docs/onnx.md; cut the net before it (--output-names) and "
        "let the program behind the net do its work, or export the net with operators of "
        "the table");
  if (domain.empty()) verify_form(node, *row);
  return *row;
}

void import_row(const OperatorRow& row, Node& node) {
  const bool constant = node.is_constant();
  if (row.expands) {
    row.import(node);
    if (!constant && node.expansion().empty()) Integers(node).pass(node);
    return;
  }
  const std::string_view type = node.proto.op_type();
  if (row.fold != nullptr && (constant || type == "Shape" || type == "Size")) {
    ConstantPtr folded = row.fold(node);
    if (elements(folded->dims) < 0 ||
        elements(folded->dims) != static_cast<int64_t>(folded->size()))
      node.refuse("result", text(folded->dims), "constants have fewer than 2^31 elements");
    return node.set(std::move(folded));
  }
  if (row.import == nullptr)
    node.refuse("operator", node.proto.op_type(),
                "its inputs are not constants, and the chip has no operation for it");
  if (constant) return fold_by_execution(node, row);
  const Integers integers(node);
  row.import(node);
  integers.pass(node);
}

}  // namespace

void ModelImporter::import_operator(const onnx::NodeProto& proto, Node& node) {
  const OperatorRow& row = row_of(proto, node);
  const bool is_replaced = row.domain == kMicrosoft || row.import == import_fill ||
                           row.import == import_cut ||
                           (row.expands && !has_open_extents(node) && !has_host_form(node));
  // The nodes that stand for this one may be on the host themselves.
  if (!is_replaced && is_of_host(node)) {
    if (!expand_open_extents(node)) import_of_host(node);
    return;
  }
  if (row.import == expand_loop) return loop(node);
  import_row(row, node);
}

void ModelImporter::import_all(const Nodes& nodes, int64_t opset) {
  const std::vector<bool> needed = needed_nodes(nodes, wanted_);
  for (size_t i = 0; i < nodes.size(); ++i)
    if (needed[i]) import_node(nodes[i], opset);
}

namespace {

// Returns true if other nodes stand for this one, and have given its results a kind, such as
// integers of bytes.
bool is_made_of_others(Node& node, ValueKind kind) {
  return !node.expansion().empty() && kind != ValueKind::boolean && node.proto.op_type() != "Cast";
}

}  // namespace

void ModelImporter::import_node(const onnx::NodeProto& proto, int64_t opset) {
  std::vector<const Value*> inputs;
  std::vector<std::string> missing;
  for (const std::string& name : proto.input()) {
    const auto found = values_.find(name);
    inputs.push_back(name.empty() || found == values_.end() ? nullptr : &found->second);
    if (!name.empty() && found == values_.end() && !lists_.contains(name)) missing.push_back(name);
  }
  Node node(graph_, proto, opset_of(proto, opset), std::move(inputs), folder_, wanted_);
  guard([&] {
    if (++imported_nodes_ > kMostNodes)
      node.refuse("nodes", fmt::format("more than {}", kMostNodes),
                  "fewer, with functions and loops as the nodes that they stand for");
    if (missing.empty() && is_of_lists(proto)) return import_list(node);
    if (missing.empty()) {
      require_no_lowest_pads(node);
      if (!is_of_host(node)) {
        if (compute_whole(node)) return;
        require_kinds(node);
        if (compute_integers(node) || widen(node)) return;
      }
      return import_operator(proto, node);
    }
    row_of(proto, node);
  });
  for (const std::string& name : missing)
    if (!unknown_.contains(name))
      problems_.push_back(
          malformed(node.where(), "its input " + name + " is made by no node before it"));
  if (!node.expansion().empty()) import_all(node.expansion(), node.expansion_opset);
  const auto [kind, integer_type] = missing.empty() ? kind_of_results(node) : KindOfResults{};
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string& name = proto.output(i);
    if (name.empty()) continue;
    auto& value = node.outputs()[static_cast<size_t>(i)];
    if (value)
      values_[name] = std::move(*value);
    else if (!values_.contains(name) && !lists_.contains(name))
      unknown_.insert(name);
    const auto known = values_.find(name);
    const bool keeps_kind = known == values_.end() || known->second.on_host || is_of_lists(proto) ||
                            is_made_of_others(node, kind);
    if (!keeps_kind) {
      known->second.kind = kind;
      known->second.integer_type = integer_type;
      if (kind == ValueKind::integer) known->second.magnitude = magnitude_of_results(node);
    }
  }
}

// ---- Outputs ----

// Returns the tensor of an output. It must have the output's name and no readers; otherwise it is
// a reshape of `value`.
std::string ModelImporter::output_tensor(const std::string& name, const Value& value,
                                         const std::set<std::string>& taken) {
  const bool is_own = value.tensor == name && !graph_.network.is_read(name) &&
                      !taken.contains(name) && graph_.dims(name) == net_dims(value.dims);
  const TensorOp* maker = graph_.network.producer(value.tensor);
  if (is_own && !is(*maker, Op::start)) return name;
  TensorOp op = make_op(value.varies ? Op::host : Op::reshape);
  op.add_bottom(value.tensor);
  *op.add_output_shape() = make_shape(net_dims(value.dims));
  if (value.varies) {
    op.mutable_tg_host_param()->set_text("unary op=identity");
    op.mutable_tg_host_param()->set_varies(true);
    *op.mutable_tg_host_param()->add_result() = op.output_shape(0);
  }
  op.add_top(graph_.has_name(name) ? name + "/output" : name);
  std::string free = op.top(0);
  while (graph_.has_op(free)) free += "/output";
  op.set_name(free);
  std::string tensor = graph_.add(std::move(op), {});
  if (tensor != name) graph_.network.blob_names[tensor] = name;
  return tensor;
}

// Returns the integers of a quantized tensor, of which the net has the real numbers.
Value ModelImporter::integers_of(const std::string& name, const Value& value) {
  onnx::NodeProto proto;
  proto.set_name(name);
  proto.set_op_type("Cast");
  proto.add_input(name);
  proto.add_output(name + "//integers");
  auto& to = *proto.add_attribute();
  to.set_name("to");
  to.set_type(onnx::AttributeProto::INT);
  to.set_i(value.quantization->type);
  wanted_.insert(proto.output(0));
  import_node(proto, kExpansionOpset);
  const auto result = values_.find(proto.output(0));
  if (result == values_.end()) throw Refusal{combine(problems_)};
  return result->second;
}

// Returns an output's value as a tensor.
Value ModelImporter::output_value(const std::string& name) {
  const auto found = values_.find(name);
  if (lists_.contains(name))
    throw Refusal{Error(errors::net_onnx_operator)
                      .in("output " + name)
                      .detail("it is a sequence; make its tensors outputs instead")};
  if (found == values_.end()) throw Refusal{malformed("output " + name, "no node makes it")};
  Value value = found->second;
  const auto refuse = [&](const char* why) {
    throw Refusal{Error(errors::net_onnx_operator).in("output " + name).detail(why)};
  };
  if (!value.lowest_pads.empty())
    refuse("a Pad with -inf or the lowest float must be read by a MaxPool; pad with a number");
  if (value.quantization && !is_integer_type(value.quantization->type))
    refuse("it is of float8; put a DequantizeLinear behind it");
  if (value.quantization) return integers_of(name, value);
  if (value.constant == nullptr) return value;
  if (value.constant->size() == 0)
    refuse("it is a constant without elements; leave it out of the outputs");
  constexpr int64_t kExactInFloat = int64_t{1} << 24;
  if (std::ranges::any_of(value.constant->integers,
                          [](int64_t i) { return i < -kExactInFloat || i > kExactInFloat; }))
    refuse(
        "it has integers beyond 2^24, which are no numbers of fp32; leave it out of the outputs");
  value.tensor = value.constant->is_integer() && graph_.has_subnets
                     ? integers_of_host(graph_, name, *value.constant)
                     : constant_tensor(graph_, name, *value.constant);
  value.constant = nullptr;
  return value;
}

void ModelImporter::finish() {
  TensorOp end = make_op(Op::end);
  end.set_name("end");
  end.mutable_end_param();
  std::set<std::string> taken;
  for (const auto& output : proto_.output()) {
    const Value value = output_value(output.name());
    const std::string tensor = output_tensor(output.name(), value, taken);
    if (value.dims.size() > 4) graph_.network.output_dims[output.name()] = value.dims;
    taken.insert(tensor);
    end.add_bottom(tensor);
    *end.add_input_shape() = *graph_.network.shape_of(tensor);
  }
  remove_dispensable(graph_, {end.bottom().begin(), end.bottom().end()});
  if (end.bottom().empty()) throw Refusal{Error(errors::net_no_layer).in("model")};
  fold_pads(graph_);
  fuse_gates(graph_, {end.bottom().begin(), end.bottom().end()});
  fold_scales(graph_);
  set_constant_thresholds(graph_);
  spread_thresholds(graph_);
  graph_.network.ops.push_back(std::move(end));
  if (Status status = verify(graph_.network); !status.ok()) throw Refusal{status.error()};
}

}  // namespace tputwin::net::onnx_reader
