// Import of an ONNX file: its graph, and the thresholds of its quantized tensors.
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <filesystem>

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
  inline_functions(model);
  TW_ASSIGN_OR_RETURN(graph, ModelImporter(model, opset, options, folder).run());
  const Network& network = graph.network;
  return LoadedNet{to_caffe(network),
                   table_of(network, graph.thresholds),
                   table_of(network, graph.threshold_bounds),
                   vendor_table(model),
                   true,
                   graph.has_open_batch};
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
