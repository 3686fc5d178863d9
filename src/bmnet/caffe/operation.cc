// Operations of the intermediate representation as layers of a Caffe net.
#include "bmnet/caffe/operation.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <set>

#include "bmnet/ir/infer.h"
#include "bmnet/ir/samples.h"

namespace tputwin::net {
namespace {

// Collects errors for the layer's problem, so that they are not logged.
class Silent final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber, const std::string& text) override {
    if (message.empty()) message = "line " + std::to_string(line + 1) + ": " + text;
  }
  std::string message;
};

std::string text_of(const TensorOp& op) {
  TensorOp stated = op;
  for (const char* field : {"name", "type", "bottom", "top", "calib_id", "cpu_op"})
    stated.GetReflection()->ClearField(&stated, TensorOp::descriptor()->FindFieldByName(field));
  std::string text;
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.PrintToString(stated, &text);
  return text;
}

// Adapts the stated shapes to the batch that the bottoms have now. Returns false if they differ in
// more than the batch.
bool take_batch(const TensorOp& stated, TensorOp& op) {
  if (stated.input_shape_size() != op.input_shape_size()) return false;
  const auto sizes = [](const TensorShape& shape) { return dims(shape); };
  const bool same = std::ranges::equal(stated.input_shape(), op.input_shape(), {}, sizes, sizes);
  if (same) return true;
  // A reshape keeps samples one after the other, also where its result's first extent counts parts
  // of samples: (1,3,8,8) to (3,64) is (4,3,8,8) to (12,64) for four samples.
  const bool reshapes = is(stated, Op::reshape);
  if (!reshapes && !is_per_sample(stated)) return false;
  const int64_t before = stated.input_shape(0).dim(0), now = op.input_shape(0).dim(0);
  for (int i = 0; i < op.input_shape_size(); ++i) {
    Dims wanted = dims(stated.input_shape(i));
    if (wanted.empty() || wanted[0] != before) return false;
    wanted[0] = now;
    if (wanted != dims(op.input_shape(i))) return false;
  }
  for (TensorShape& shape : *op.mutable_output_shape()) {
    const int64_t parts = reshapes ? shape.dim(0) * now : now;
    if (reshapes && parts % before != 0) return false;
    shape.set_dim(0, reshapes ? parts / before : parts);
  }
  return true;
}

bool read_operation(Importer& layer, TensorOp& stated) {
  Silent errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(16);
  const bool parsed = parser.ParseFromString(layer.caffe.tensor_op(), &stated);
  if (!parsed || stated.ByteSizeLong() > size_t{1} << 26) {
    layer.parameter("tensor_op", errors.message, "a TensorOp as text");
    return false;
  }
  const auto known = [](const auto& shapes) {
    return std::ranges::all_of(shapes,
                               [](const TensorShape& shape) { return shape.dim_size() > 0; });
  };
  const auto* field = TensorOp::descriptor()->FindFieldByName(layer.caffe.type() + "_param");
  const bool has_parameters =
      field == nullptr || field->is_repeated() || stated.GetReflection()->HasField(stated, field);
  if (has_parameters && known(stated.input_shape()) && known(stated.output_shape()) &&
      stated.input_shape_size() > 0 && stated.output_shape_size() == layer.tops())
    return true;
  layer.parameter("tensor_op", layer.caffe.type(),
                  "it has its parameters, and the shapes that it was made for");
  return false;
}

}  // namespace

bool is_operation(const caffe::LayerParameter& layer) {
  return layer.type().starts_with("tg_") && layer.has_tensor_op();
}

void import_operation(Importer& layer) {
  TensorOp stated;
  if (!layer.ready() || !read_operation(layer, stated)) return;
  stated.set_type(layer.caffe.type());
  stated.set_name(layer.op.name());
  stated.clear_cpu_op();  // on_host of the layer decides
  *stated.mutable_bottom() = layer.op.bottom();
  *stated.mutable_top() = layer.op.top();
  if (auto shapes = infer_shapes(stated);
      !shapes.ok() ||
      !std::ranges::equal(
          *shapes, stated.output_shape(), {}, [](const TensorShape& s) { return dims(s); },
          [](const TensorShape& s) { return dims(s); })) {
    layer.parameter(
        "tensor_op", "",
        shapes.ok() ? "the stated shapes are those of its parameters" : shapes.error().message());
    return;
  }
  TensorOp op = stated;
  op.set_calib_id(layer.op.calib_id());
  *op.mutable_input_shape() = layer.op.input_shape();
  if (!take_batch(stated, op)) {
    layer.problem(errors::net_operand_shapes, layer.op.bottom(0), describe(op.input_shape(0)),
                  "the layer was made for " + describe(stated.input_shape(0)) +
                      " from an ONNX file, and for other extents it is another one; give the ONNX "
                      "file (to calibrate, compile) these extents by --shape, once per input");
    return;
  }
  auto shapes = infer_shapes(op);
  if (!shapes.ok()) {
    layer.parameter("tensor_op", "", shapes.error().message());
    return;
  }
  op.clear_output_shape();
  for (const TensorShape& shape : *shapes) *op.add_output_shape() = shape;
  for (const caffe::BlobProto& blob : layer.caffe.blobs())
    layer.blobs().push_back({{blob.shape().dim().begin(), blob.shape().dim().end()},
                             {blob.data().begin(), blob.data().end()}});
  layer.op = std::move(op);
  if (!layer.needs_weights() && layer.blobs().empty()) return;
  if (Status status = check_blobs(layer.op, layer.blobs()); !status.ok())
    layer.problem(status.error().id(), status.error().argument(), status.error().value(),
                  status.error().detail());
}

caffe::NetParameter to_caffe(const Network& network) {
  caffe::NetParameter net;
  net.set_name(network.name);
  std::set<std::string> read;
  for (const TensorOp& op : network.ops) read.insert(op.bottom().begin(), op.bottom().end());
  std::vector<std::string> unread;
  for (const std::string& tensor : network.outputs()) {
    caffe::NetOutput& output = *net.add_output();
    output.set_name(network.blob_name(tensor));
    output.set_blob(tensor);
    if (const auto own = network.output_dims.find(network.blob_name(tensor));
        own != network.output_dims.end())
      for (const int64_t extent : own->second) output.add_dim(extent);
  }
  for (const TensorOp& op : network.ops) {
    if (is(op, Op::end)) continue;
    caffe::LayerParameter& layer = *net.add_layer();
    layer.set_name(op.name());
    layer.set_type(is(op, Op::start) ? "Input" : op.type());
    *layer.mutable_bottom() = op.bottom();
    *layer.mutable_top() = op.top();
    if (is(op, Op::start)) {
      auto& shape = *layer.mutable_input_param()->add_shape();
      for (int64_t d : op.output_shape(0).dim()) shape.add_dim(d);
      if (const auto own = network.byte_inputs.find(op.top(0)); own != network.byte_inputs.end())
        layer.set_byte_type(own->second == DType::i8 ? "int8" : "uint8");
      continue;
    }
    layer.set_tensor_op(text_of(op));
    for (const std::string& top : op.top())
      if (!read.contains(top)) unread.push_back(top);
    const auto blobs = network.blobs.find(op.name());
    if (blobs == network.blobs.end()) continue;
    for (const Blob& blob : blobs->second) {
      caffe::BlobProto& to = *layer.add_blobs();
      for (int64_t d : blob.shape) to.mutable_shape()->add_dim(d);
      to.mutable_data()->Assign(blob.data.begin(), blob.data.end());
    }
  }
  if (unread.empty()) return net;
  caffe::LayerParameter& silence = *net.add_layer();
  silence.set_name("unread");
  silence.set_type("Silence");
  for (const std::string& top : unread) silence.add_bottom(top);
  return net;
}

}  // namespace tputwin::net
