// Import of an ONNX file: converts its nodes one after the other.
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <filesystem>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"
#include "bmnet/caffe/operation.h"
#include "bmnet/onnx/load.h"
#include "bmnet/onnx/reader/addends.h"
#include "bmnet/onnx/reader/integers.h"
#include "bmnet/onnx/reader/node.h"
#include "bmnet/onnx/reader/opsets.h"

namespace tputwin::net {
namespace onnx_reader {
namespace {

Error malformed(std::string what, std::string detail) {
  return Error(errors::net_onnx).in(std::move(what)).detail(std::move(detail));
}

Result<int64_t> opset_of(const onnx::ModelProto& model) {
  int64_t opset = 0;
  for (const auto& import : model.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx") opset = import.version();
  if (opset >= kFirstOpset && opset <= kLastOpset) return opset;
  return Error(errors::net_onnx_opset)
      .in("model " + model.graph().name())
      .argument("opset of ai.onnx", opset == 0 ? "none" : std::to_string(opset))
      .detail(
          fmt::format("{} to {}; export the net anew, or convert it with onnx.version_converter",
                      kFirstOpset, kLastOpset));
}

class ModelImporter {
 public:
  ModelImporter(const onnx::ModelProto& model, int64_t opset, const ImportOptions& options,
                std::string folder)
      : proto_(model.graph()), opset_(opset), options_(options), folder_(std::move(folder)) {
    graph_.network.name = proto_.name();
  }

  Result<Graph> run() {
    for (const auto& tensor : proto_.initializer()) guard([&] { initializer(tensor); });
    if (proto_.sparse_initializer_size() > 0)
      problems_.push_back(malformed("graph", "sparse initializers; make them dense"));
    for (const Error& problem : repeated_names(proto_)) problems_.push_back(problem);
    inputs();
    find_needed();
    graph_.quantized_by = quantized_readers(proto_, needed_);
    for (int i = 0; i < proto_.node_size(); ++i)
      if (needed_[static_cast<size_t>(i)]) node(proto_.node(i));
    if (problems_.empty()) guard([&] { finish(); });
    if (!problems_.empty()) return combine(problems_);
    return std::move(graph_);
  }

 private:
  template <class Function>
  void guard(const Function& function) {
    try {
      function();
    } catch (const Refusal& refusal) {
      problems_.push_back(refusal.error);
    }
  }

  void initializer(const onnx::TensorProto& tensor) {
    auto constant = read_tensor(tensor, folder_);
    Dims dims = constant->dims;
    values_[tensor.name()] = Value{std::move(dims), std::move(constant), "", {}};
  }

  // ---- Inputs ----

  void inputs() {
    std::vector<const onnx::ValueInfoProto*> inputs;
    for (const auto& input : proto_.input())
      if (!values_.contains(input.name())) {
        inputs.push_back(&input);
        unknown_.insert(input.name());
      }
    if (inputs.empty())
      problems_.push_back(Error(errors::net_no_input).in("model " + proto_.name()));
    const size_t given = options_.input_shapes.size();
    if (given != 0 && given != inputs.size())
      problems_.push_back(Error(errors::net_input_shape)
                              .in("model " + proto_.name())
                              .detail(fmt::format("the net has {} inputs, and there are {} shapes",
                                                  inputs.size(), given)));
    else
      for (size_t i = 0; i < inputs.size(); ++i) guard([&] { input(*inputs[i], i); });
  }

  Dims input_dims(const onnx::ValueInfoProto& input, size_t index) const {
    if (!options_.input_shapes.empty()) return net::dims(options_.input_shapes[index]);
    const auto& type = input.type().tensor_type();
    Dims dims;
    for (const auto& dim : type.shape().dim()) {
      const bool is_open = !dim.has_dim_value() || dim.dim_value() < 1;
      if (is_open && !dims.empty())
        throw Refusal{Error(errors::net_onnx_shape)
                          .in("input " + input.name())
                          .argument(fmt::format("extent {}", dims.size()),
                                    dim.dim_param().empty() ? "open" : dim.dim_param())
                          .detail("give it by --shape n,c,h,w (ImportOptions::input_shapes)")};
      dims.push_back(is_open ? 1 : dim.dim_value());
    }
    if (!type.has_shape())
      throw Refusal{Error(errors::net_onnx_shape)
                        .in("input " + input.name())
                        .argument("shape", "none")
                        .detail("give it by --shape n,c,h,w (ImportOptions::input_shapes)")};
    return dims;
  }

  void input(const onnx::ValueInfoProto& input, size_t index) {
    const int type = input.type().tensor_type().elem_type();
    const bool is_bytes = type == onnx::TensorProto::UINT8;
    if (!input.type().has_tensor_type() || (is_integer_type(type) && !is_bytes))
      throw Refusal{Error(errors::net_onnx_operator)
                        .in("input " + input.name())
                        .argument("type", std::to_string(type))
                        .detail("inputs are tensors of floats or of unsigned bytes: make the "
                                "input one of floats")};
    const Dims dims = input_dims(input, index);
    if (elements(dims) < 1)
      throw Refusal{
          Error(errors::net_shape).in("input " + input.name()).argument("shape", text(dims))};
    TensorOp op = make_op(Op::start);
    op.set_name(input.name());
    op.add_top(input.name());
    *op.add_output_shape() = make_shape(net_dims(dims));
    values_[input.name()] =
        Value{dims, nullptr, graph_.add(std::move(op), {}), {}, is_bytes ? 256 : 0, is_bytes};
  }

  // ---- Nodes ----

  void find_needed() {
    std::set<std::string>& wanted = wanted_;
    for (const auto& output : proto_.output()) wanted.insert(output.name());
    needed_.assign(static_cast<size_t>(proto_.node_size()), false);
    for (int i = proto_.node_size(); i-- > 0;) {
      const auto& node = proto_.node(i);
      if (!std::ranges::any_of(node.output(), [&](const auto& o) { return wanted.contains(o); }))
        continue;
      needed_[static_cast<size_t>(i)] = true;
      wanted.insert(node.input().begin(), node.input().end());
    }
  }

  // Returns the operator's row for a node that its schema allows.
  const OperatorRow& row_of(const onnx::NodeProto& proto, const Node& node) const {
    if (!proto.domain().empty() && proto.domain() != "ai.onnx")
      node.refuse("domain", proto.domain(), "operators of ai.onnx; export the net without others");
    const OperatorRow* row = find_operator(proto.op_type());
    if (row == nullptr)
      node.refuse(
          "operator", proto.op_type(),
          "it is not in the table of docs/onnx.md; cut the net before it and let the program "
          "behind the net do its work, or export the net with operators of the table");
    verify_form(node, opset_);
    return *row;
  }

  void node(const onnx::NodeProto& proto) {
    std::vector<const Value*> inputs;
    std::vector<std::string> missing;
    for (const std::string& name : proto.input()) {
      const auto found = values_.find(name);
      inputs.push_back(name.empty() || found == values_.end() ? nullptr : &found->second);
      if (!name.empty() && found == values_.end()) missing.push_back(name);
    }
    Node node(graph_, proto, opset_, std::move(inputs), folder_, wanted_);
    guard([&] {
      const OperatorRow& row = row_of(proto, node);
      if (missing.empty()) import(row, node);
    });
    for (const std::string& name : missing)
      if (!unknown_.contains(name))
        problems_.push_back(
            malformed(node.where(), "its input " + name + " is made by no node before it"));
    for (int i = 0; i < proto.output_size(); ++i) {
      const std::string& name = proto.output(i);
      if (name.empty()) continue;
      auto& value = node.outputs()[static_cast<size_t>(i)];
      if (value)
        values_[name] = std::move(*value);
      else
        unknown_.insert(name);
    }
  }

  void import(const OperatorRow& row, Node& node) {
    const bool is_constant = [&] {
      for (size_t i = 0; i < node.inputs(); ++i)
        if (node.has(i) && node.constant(i) == nullptr) return false;
      return true;
    }();
    const std::string_view type = node.proto.op_type();
    if (row.fold != nullptr && (is_constant || type == "Shape" || type == "Size")) {
      ConstantPtr folded = row.fold(node);
      if (elements(folded->dims) < 0 ||
          elements(folded->dims) != static_cast<int64_t>(folded->size()))
        node.refuse("result", text(folded->dims), "constants have fewer than 2^31 elements");
      return node.set(std::move(folded));
    }
    if (row.import == nullptr)
      node.refuse("operator", node.proto.op_type(),
                  "its inputs are not constants, and the chip has no operation for it");
    if (is_constant) node.refuse("inputs", "constants", "nothing to compute on the chip");
    const Integers integers(node);
    row.import(node);
    integers.pass(node);
  }

  // ---- Outputs ----

  // Returns the tensor of an output. It must have the output's name and no readers; otherwise it is
  // a reshape of `value`.
  std::string output_tensor(const std::string& name, const Value& value,
                            const std::set<std::string>& taken) {
    const bool is_own = value.tensor == name && !graph_.network.is_read(name) &&
                        !taken.contains(name) && graph_.dims(name) == net_dims(value.dims);
    const TensorOp* maker = graph_.network.producer(value.tensor);
    if (is_own && !is(*maker, Op::start)) return name;
    TensorOp op = make_op(Op::reshape);
    op.add_bottom(value.tensor);
    *op.add_output_shape() = make_shape(net_dims(value.dims));
    op.add_top(graph_.has_name(name) ? name + "/output" : name);
    std::string free = op.top(0);
    while (graph_.has_op(free)) free += "/output";
    op.set_name(free);
    std::string tensor = graph_.add(std::move(op), {});
    if (tensor != name) graph_.network.blob_names[tensor] = name;
    return tensor;
  }

  void finish() {
    TensorOp end = make_op(Op::end);
    end.set_name("end");
    end.mutable_end_param();
    std::set<std::string> taken;
    for (const auto& output : proto_.output()) {
      const auto found = values_.find(output.name());
      if (found == values_.end())
        throw Refusal{malformed("output " + output.name(), "no node makes it")};
      Value value = found->second;
      if (value.constant != nullptr &&
          (value.constant->is_integer() || value.constant->size() == 0))
        throw Refusal{Error(errors::net_onnx_operator)
                          .in("output " + output.name())
                          .detail("it is a constant; leave it out of the outputs")};
      if (value.constant != nullptr) {
        value.tensor = constant_tensor(graph_, output.name(), *value.constant);
        value.constant = nullptr;
      }
      if (value.quantization)
        throw Refusal{Error(errors::net_onnx_operator)
                          .in("output " + output.name())
                          .detail("it is of integers; put a DequantizeLinear behind it")};
      const std::string tensor = output_tensor(output.name(), value, taken);
      taken.insert(tensor);
      end.add_bottom(tensor);
      *end.add_input_shape() = *graph_.network.shape_of(tensor);
    }
    remove_unused_sums(graph_, {end.bottom().begin(), end.bottom().end()});
    if (end.bottom().empty()) throw Refusal{Error(errors::net_no_layer).in("model")};
    fold_pads(graph_);
    fold_scales(graph_);
    spread_thresholds(graph_);
    graph_.network.ops.push_back(std::move(end));
    if (Status status = verify(graph_.network); !status.ok()) throw Refusal{status.error()};
  }

  const onnx::GraphProto& proto_;
  const int64_t opset_;
  const ImportOptions& options_;
  const std::string folder_;
  Graph graph_;
  std::map<std::string, Value> values_;
  // Inputs and results of nodes that were refused.
  std::set<std::string> unknown_;
  std::set<std::string> wanted_;  // tensors that outputs or nodes need
  std::vector<bool> needed_;
  std::vector<Error> problems_;
};

constexpr OperatorRow kRows[] = {
#define TW_ONNX(name, first, last, importer, folder, note) \
  {#name, first, last, import_##importer, fold_##folder},
#include "bmnet/onnx/operators.def"
};

NetCalibrationParameter table_of(const Network& network,
                                 const std::map<std::string, float>& thresholds) {
  NetCalibrationParameter table;
  if (thresholds.empty()) return table;
  for (const TensorOp& op : network.ops)
    for (const std::string& top : op.top()) {
      const auto found = thresholds.find(top);
      if (found == thresholds.end()) continue;
      LayerCalibrationParameter* entry = nullptr;
      for (auto& known : *table.mutable_layer())
        if (known.name() == op.name()) entry = &known;
      if (entry == nullptr) {
        entry = table.add_layer();
        entry->set_name(op.name());
      }
      BlobParameter& blob = *entry->add_blob_param();
      blob.set_name(top);
      blob.set_threshold_y(found->second);
    }
  return table;
}

// Returns the calibration table that quantized files of the vendor have in their metadata.
std::string vendor_table(const onnx::ModelProto& model) {
  for (const auto& property : model.metadata_props())
    if (property.key() == "bm1880_ctable") return property.value();
  return {};
}

Result<LoadedNet> read_model(std::span<const uint8_t> file, const std::string& path,
                             const ImportOptions& options) {
  onnx::ModelProto model;
  google::protobuf::io::CodedInputStream stream(file.data(), static_cast<int>(file.size()));
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage() || !model.has_graph())
    return malformed(path, "it is no ModelProto with a graph");
  TW_ASSIGN_OR_RETURN(opset, opset_of(model));
  const std::string folder = std::filesystem::path(path).parent_path();
  TW_ASSIGN_OR_RETURN(graph, ModelImporter(model, opset, options, folder).run());
  const Network& network = graph.network;
  return LoadedNet{to_caffe(network), table_of(network, graph.thresholds),
                   table_of(network, graph.threshold_bounds), vendor_table(model), true};
}

}  // namespace

void import_none(Node& node) { node.refuse("operator", node.proto.op_type(), "of constants only"); }
ConstantPtr fold_none(const Node&) { return nullptr; }

const OperatorRow* find_operator(std::string_view name) {
  static const std::vector<OperatorRow> rows = [] {
    std::vector<OperatorRow> all(std::begin(kRows), std::end(kRows));
    for (OperatorRow& row : all) {
      if (row.import == import_none) row.import = nullptr;
      if (row.fold == fold_none) row.fold = nullptr;
    }
    return all;
  }();
  const auto found = std::ranges::find(rows, name, &OperatorRow::name);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace onnx_reader

// `extern "C"` functions cannot return classes, so the name is set to kReadOnnx here.
[[gnu::visibility("default")]] Result<LoadedNet> read_onnx(
    std::span<const uint8_t> file, const std::string& path,
    const ImportOptions& options) asm("tputwin_read_onnx");

Result<LoadedNet> read_onnx(std::span<const uint8_t> file, const std::string& path,
                            const ImportOptions& options) {
  try {
    if (file.size() > size_t{INT32_MAX})
      return Error(errors::net_onnx).in(path).detail("files are below 2 GiB: use external data");
    return onnx_reader::read_model(file, path, options);
  } catch (const onnx_reader::Refusal& refusal) {
    return refusal.error;
  } catch (const std::exception& error) {
    return Error(errors::net_onnx).in(path).detail(error.what());
  }
}

}  // namespace tputwin::net
