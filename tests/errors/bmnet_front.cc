// TW-NET: the front end of the compiler.
#include <string>

#include "base/errors/bmnet.h"
#include "base/last_error.h"
#include "bmnet/caffe/import.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

using namespace net;

const std::string kInput =
    "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 4 } } }\n";

std::string layer(const std::string& type, const std::string& rest = "") {
  return "layer { name: 'x' type: '" + type + "' bottom: 'data' top: 'x' " + rest + " }\n";
}

Status import_text(const std::string& text, const ImportOptions& options = {}) {
  auto parsed = read_prototxt(text);
  if (!parsed.ok()) return parsed.status();
  return import_caffe(*parsed, options).status();
}

// Imports a PReLU whose blob has these values.
Status import_slopes(const std::vector<float>& values) {
  auto parsed = read_prototxt(kInput + layer("PReLU"));
  if (!parsed.ok()) return parsed.status();
  auto& blob = *parsed->mutable_layer(1)->add_blobs();
  blob.mutable_shape()->add_dim(static_cast<int64_t>(values.size()));
  blob.mutable_data()->Assign(values.begin(), values.end());
  return import_caffe(*parsed).status();
}

TW_TRIGGER(net_prototxt, [] { return read_prototxt("layer { colour: 3 }").status(); });
TW_TRIGGER(net_ignored_field, []() -> Status {
  thread_diagnostics().clear();
  TW_RETURN_IF_ERROR(
      read_prototxt("layer { name: 'a' type: 'Data' top: 'data' enable_quantize: true }").status());
  const auto warnings = thread_diagnostics().warnings();
  return warnings.empty() ? Status() : Status(warnings.front().sample);
});
TW_TRIGGER(net_binary_field, []() -> Status {
  thread_diagnostics().clear();
  caffe::NetParameter net;
  caffe::LayerParameter& layer = *net.add_layer();
  layer.set_type("Pooling");
  layer.mutable_pooling_param()->set_ceil_mode(true);
  const std::string file = net.SerializePartialAsString();
  TW_RETURN_IF_ERROR(
      read_caffemodel({reinterpret_cast<const uint8_t*>(file.data()), file.size()}).status());
  const auto warnings = thread_diagnostics().warnings();
  return warnings.empty() ? Status() : Status(warnings.front().sample);
});
TW_TRIGGER(net_caffemodel, [] {
  const std::vector<uint8_t> bytes(9, 0xff);
  return read_caffemodel(bytes).status();
});
TW_TRIGGER(net_layer_type, [] { return import_text(kInput + layer("Magic")); });
TW_TRIGGER(net_layer_parameter,
           [] { return import_text(kInput + layer("Tile", "tile_param { tiles: 0 }")); });
TW_TRIGGER(net_no_input, [] {
  return import_text("layer { name: 'd' type: 'Data' top: 'data' }" + layer("ReLU"));
});
TW_TRIGGER(net_no_layer, [] { return import_text(kInput); });
TW_TRIGGER(net_unknown_bottom, [] {
  return import_text(kInput + "layer { name: 'x' type: 'ReLU' bottom: 'y' top: 'x' }");
});
TW_TRIGGER(net_bottom_count, [] { return import_text(kInput + layer("Eltwise")); });
TW_TRIGGER(net_missing_blob, [] { return import_text(kInput + layer("PReLU")); });
TW_TRIGGER(net_blob_shape, [] { return import_slopes({1, 2, 3}); });
TW_TRIGGER(net_blob_value, [] { return import_slopes({1, 2, 3, __builtin_nanf("")}); });
TW_TRIGGER(net_shape, [] {
  return import_text(kInput + layer("ReLU"), {.input_shapes = {make_shape({1, 0})}});
});
TW_TRIGGER(net_axis,
           [] { return import_text(kInput + layer("Softmax", "softmax_param { axis: 2 }")); });
TW_TRIGGER(net_operand_shapes,
           [] { return import_text(kInput + layer("Upsample", "upsample_param { size: 2 }")); });
TW_TRIGGER(net_duplicate_layer, [] { return import_text(kInput + layer("ReLU") + layer("ReLU")); });
TW_TRIGGER(net_input_shape, [] {
  return import_text(kInput + layer("ReLU"),
                     {.input_shapes = {make_shape({1, 4}), make_shape({1, 4})}});
});
TW_TRIGGER(net_custom_shape, [] {
  ImportOptions options;
  options.custom["ReLU"] = [](caffe::LayerParameter&, TensorOp&) { return Status(); };
  return import_text(kInput + layer("ReLU"), options);
});
TW_TRIGGER(net_ir, [] { return verify(Network{}); });

}  // namespace
}  // namespace tputwin::testing
