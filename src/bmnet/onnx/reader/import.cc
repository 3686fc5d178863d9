// Import of an ONNX file: its graph, and the thresholds of its quantized tensors.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"
#include "bmnet/caffe/operation.h"
#include "bmnet/onnx/load.h"
#include "bmnet/onnx/reader/model_importer.h"
#include "bmnet/onnx/reader/opsets.h"
#include "bmnet/onnx/reader/order.h"

namespace tputwin::net {
namespace onnx_reader {

Error malformed(std::string what, std::string detail) {
  return Error(errors::net_onnx).in(std::move(what)).detail(std::move(detail));
}

namespace {

// Returns the last of several versions of the domain, as ONNX Runtime does.
Result<int64_t> opset_of(const onnx::ModelProto& model) {
  int64_t opset = 0;
  for (const auto& import : model.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx") opset = import.version();
  if (opset >= kFirstOpset && opset <= kLastOpset) return opset;
  return Error(errors::net_onnx_opset)
      .in("model " + model.graph().name())
      .argument("opset of ai.onnx", opset == 0 ? "none" : std::to_string(opset))
      .detail(
          fmt::format("{} to {}; export the net again, or convert it with onnx.version_converter",
                      kFirstOpset, kLastOpset));
}

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

// Returns names with something in common with one that there is not, or the last of the file.
std::string names_like(const onnx::GraphProto& graph, const std::string& name) {
  constexpr size_t kFew = 3;
  std::vector<std::string> alike, last;
  for (const auto& node : graph.node())
    for (const std::string& output : node.output())
      if (name.size() >= kFew && output.size() >= kFew &&
          (output.find(name) != std::string::npos || name.find(output) != std::string::npos))
        alike.push_back(output);
  for (const auto& output : graph.output()) last.push_back(output.name());
  std::vector<std::string>& names = alike.empty() ? last : alike;
  if (names.size() > kFew) names.resize(kFew);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Returns the tensor of a name, or the result of the only node that has it; "" if there is none.
std::string tensor_called(const onnx::GraphProto& graph, const std::string& name) {
  std::string of_node;
  bool is_unique = true;
  for (const auto& node : graph.node()) {
    if (std::ranges::find(node.output(), name) != node.output().end()) return name;
    if (node.name() != name || node.output_size() != 1) continue;
    is_unique = of_node.empty();
    of_node = node.output(0);
  }
  return is_unique ? of_node : "";
}

// Makes these tensors the outputs of the graph, in this order.
void end_at(onnx::GraphProto& graph, const std::vector<std::string>& names) {
  if (names.empty()) return;
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> outputs;
  for (const std::string& name : names) {
    const std::string tensor = tensor_called(graph, name);
    const auto is_it = [&](const onnx::ValueInfoProto& one) { return one.name() == tensor; };
    if (tensor.empty() || std::ranges::any_of(outputs, is_it))
      throw Refusal{
          Error(errors::net_cli)
              .in("load_net")
              .argument("--output-names (ImportOptions::outputs)", name)
              .detail(tensor.empty()
                          ? "a tensor, or a node of its own name, outside of bodies, such as " +
                                names_like(graph, name)
                          : "each tensor once")
              .see("docs/onnx.md")};
    auto& made = *outputs.Add();
    made.set_name(tensor);
    for (const auto& known : graph.output())
      if (is_it(known)) made = known;
  }
  graph.mutable_output()->Swap(&outputs);
}

// Returns the outputs that a node reads of which calibration makes one layer with the node before
// it, each with the node's result.
std::vector<std::pair<std::string, std::string>> joined_ends(const onnx::GraphProto& graph,
                                                             const std::vector<std::string>& ends) {
  constexpr std::string_view kJoined[] = {"Relu", "Clip", "LeakyRelu", "PRelu",
                                          "BatchNormalization"};
  constexpr std::string_view kWithConstants[] = {"Add", "Sub", "Mul", "Div", "Max", "Min"};
  std::set<std::string> constants;
  for (const auto& tensor : graph.initializer()) constants.insert(tensor.name());
  for (const auto& node : graph.node())
    if (node.op_type() == "Constant") constants.insert(node.output(0));
  const auto is_constant = [&](const std::string& name) { return constants.contains(name); };
  std::vector<std::pair<std::string, std::string>> joined;
  for (const auto& node : graph.node()) {
    const std::string& type = node.op_type();
    const bool has_constant = std::ranges::find(kWithConstants, type) != std::end(kWithConstants) &&
                              std::ranges::any_of(node.input(), is_constant);
    if (!has_constant && std::ranges::find(kJoined, type) == std::end(kJoined)) continue;
    if (std::ranges::find(ends, node.output(0)) != ends.end()) continue;
    for (const std::string& end : ends)
      if (std::ranges::find(node.input(), end) != node.input().end())
        joined.emplace_back(end, node.output(0));
  }
  return joined;
}

Result<LoadedNet> read_model(std::span<const uint8_t> file, const std::string& path,
                             const ImportOptions& options) {
  onnx::ModelProto model;
  google::protobuf::io::CodedInputStream stream(file.data(), static_cast<int>(file.size()));
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage() || !model.has_graph())
    return malformed(path, "it is no ModelProto with a graph");
  if (!model.has_ir_version())
    return malformed(path,
                     "it has no ir_version, without which nothing reads it as ONNX; export the net "
                     "again, or set the field");
  TW_ASSIGN_OR_RETURN(opset, opset_of(model));
  const std::string folder = std::filesystem::path(path).parent_path();
  sort_nodes(*model.mutable_graph());
  std::vector<std::string> ends = options.outputs;
  // A call of a function has a name in the file only.
  for (std::string& name : ends)
    if (const std::string tensor = tensor_called(model.graph(), name); !tensor.empty())
      name = tensor;
  inline_functions(model);
  end_at(*model.mutable_graph(), ends);
  const auto joined =
      ends.empty() ? decltype(LoadedNet::joined_ends)() : joined_ends(model.graph(), ends);
  TW_ASSIGN_OR_RETURN(graph, ModelImporter(model, opset, options, folder).run());
  const Network& network = graph.network;
  return LoadedNet{to_caffe(network),
                   table_of(network, graph.thresholds),
                   table_of(network, graph.threshold_bounds),
                   vendor_table(model),
                   true,
                   graph.has_open_batch,
                   joined};
}

}  // namespace

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
