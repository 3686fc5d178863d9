// Upgrade of layers of Caffe 1 and of names of forks to today's form.
#include "bmnet/caffe/upgrade.h"

#include "base/errors/bmnet.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace tputwin::net {
namespace {

using V1 = caffe::V1LayerParameter;

struct V1Type {
  V1::LayerType old;
  const char* type;
};
constexpr V1Type kV1Types[] = {
    {V1::ABSVAL, "AbsVal"},
    {V1::ACCURACY, "Accuracy"},
    {V1::ARGMAX, "ArgMax"},
    {V1::BNLL, "BNLL"},
    {V1::CONCAT, "Concat"},
    {V1::CONTRASTIVE_LOSS, "ContrastiveLoss"},
    {V1::CONVOLUTION, "Convolution"},
    {V1::DATA, "Data"},
    {V1::DECONVOLUTION, "Deconvolution"},
    {V1::DROPOUT, "Dropout"},
    {V1::DUMMY_DATA, "DummyData"},
    {V1::EUCLIDEAN_LOSS, "EuclideanLoss"},
    {V1::ELTWISE, "Eltwise"},
    {V1::EXP, "Exp"},
    {V1::FLATTEN, "Flatten"},
    {V1::HDF5_DATA, "HDF5Data"},
    {V1::HDF5_OUTPUT, "HDF5Output"},
    {V1::HINGE_LOSS, "HingeLoss"},
    {V1::IM2COL, "Im2col"},
    {V1::IMAGE_DATA, "ImageData"},
    {V1::INFOGAIN_LOSS, "InfogainLoss"},
    {V1::INNER_PRODUCT, "InnerProduct"},
    {V1::LRN, "LRN"},
    {V1::MEMORY_DATA, "MemoryData"},
    {V1::MULTINOMIAL_LOGISTIC_LOSS, "MultinomialLogisticLoss"},
    {V1::MVN, "MVN"},
    {V1::POOLING, "Pooling"},
    {V1::POWER, "Power"},
    {V1::RELU, "ReLU"},
    {V1::SIGMOID, "Sigmoid"},
    {V1::SIGMOID_CROSS_ENTROPY_LOSS, "SigmoidCrossEntropyLoss"},
    {V1::SILENCE, "Silence"},
    {V1::SOFTMAX, "Softmax"},
    {V1::SOFTMAX_LOSS, "SoftmaxWithLoss"},
    {V1::SPLIT, "Split"},
    {V1::SLICE, "Slice"},
    {V1::TANH, "TanH"},
    {V1::WINDOW_DATA, "WindowData"},
    {V1::THRESHOLD, "Threshold"},
};

std::string type_of(V1::LayerType old) {
  for (const V1Type& row : kV1Types)
    if (row.old == old) return row.type;
  return "NONE";
}

// Moves every field whose name and message both forms share: bottoms, tops, rules and the
// parameters of all types.
void move_common_fields(V1& from, caffe::LayerParameter& to) {
  to.set_name(from.name());
  to.set_type(type_of(from.type()));
  to.mutable_bottom()->Swap(from.mutable_bottom());
  to.mutable_top()->Swap(from.mutable_top());
  to.mutable_blobs()->Swap(from.mutable_blobs());
  to.mutable_include()->Swap(from.mutable_include());
  to.mutable_exclude()->Swap(from.mutable_exclude());
  for (const std::string& name : from.param()) to.add_param()->set_name(name);
  for (int i = 0; i < from.blob_share_mode_size(); ++i) {
    if (i >= to.param_size()) to.add_param();
    to.mutable_param(i)->set_share_mode(
        static_cast<caffe::ParamSpec::DimCheckMode>(from.blob_share_mode(i)));
  }
  const auto* old = from.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  old->ListFields(from, &fields);
  for (const auto* field : fields) {
    if (field->is_repeated() || field->message_type() == nullptr) continue;
    const auto* target = to.GetDescriptor()->FindFieldByName(field->name());
    if (target == nullptr || target->message_type() != field->message_type()) continue;
    to.GetReflection()->MutableMessage(&to, target)->CopyFrom(old->GetMessage(from, field));
  }
}

void move_parameter(caffe::LayerParameter& layer, const char* alias, const char* canonical) {
  const auto* from = layer.GetDescriptor()->FindFieldByName(alias);
  const auto* to = layer.GetDescriptor()->FindFieldByName(canonical);
  const auto* reflection = layer.GetReflection();
  if (!reflection->HasField(layer, from)) return;
  reflection->MutableMessage(&layer, to)->MergeFrom(reflection->GetMessage(layer, from));
  reflection->ClearField(&layer, from);
}

void move_aliases(caffe::LayerParameter& layer) {
  move_parameter(layer, "detection_output_param", "detectoutput_param");
  move_parameter(layer, "detect_output_param", "detectoutput_param");
  move_parameter(layer, "normalize_param", "norm_param");
  // A Python layer without inputs is a data layer of the training program.
  if (layer.type() == "Python" && layer.bottom_size() == 0 && layer.top_size() > 0) {
    layer.set_type("Data");
    layer.clear_python_param();
  }
  if (layer.has_detectoutput_param()) {
    auto& param = *layer.mutable_detectoutput_param();
    param.clear_save_output_param();
    param.clear_visualize();
    param.clear_visualize_threshold();
    param.clear_save_file();
  }
  if (layer.has_upsample_param() && layer.upsample_param().has_scale()) {
    auto& param = *layer.mutable_upsample_param();
    if (param.size().empty()) param.add_size(param.scale());
    param.clear_scale();
  }
  if (layer.has_pooling_param() && layer.pooling_param().has_round_mode()) {
    auto& param = *layer.mutable_pooling_param();
    param.clear_ceil_mode();
    if (param.round_mode() == caffe::PoolingParameter::FLOOR) param.set_ceil_mode(false);
    param.clear_round_mode();
  }
}

// Sets a shape from four extents, and floats from doubles. The extents are kept, because they fit
// other shapes than a shape of four does.
void upgrade_blob(caffe::BlobProto& blob) {
  if (blob.has_num() || blob.has_channels() || blob.has_height() || blob.has_width()) {
    blob.clear_shape();
    for (int64_t d : {blob.num(), blob.channels(), blob.height(), blob.width()})
      blob.mutable_shape()->add_dim(d);
  }
  if (!blob.double_data().empty()) blob.clear_data();
  for (double v : blob.double_data()) blob.add_data(static_cast<float>(v));
  blob.clear_double_data();
  blob.clear_diff();
  blob.clear_double_diff();
}

Status input_layers(caffe::NetParameter& net) {
  const int inputs = net.input_size();
  const bool shapes = net.input_shape_size() > 0;
  const int given = shapes ? net.input_shape_size() : net.input_dim_size() / 4;
  if ((given != inputs && given != 0) || (!shapes && net.input_dim_size() % 4 != 0))
    return Error(errors::net_no_input)
        .in("net " + net.name())
        .argument("input", std::to_string(inputs))
        .detail("there are " + std::to_string(net.input_shape_size()) + " input_shape and " +
                std::to_string(net.input_dim_size()) + " input_dim; each input has one shape, or " +
                "four dims");
  google::protobuf::RepeatedPtrField<caffe::LayerParameter> layers;
  for (int i = 0; i < inputs; ++i) {
    caffe::LayerParameter& layer = *layers.Add();
    layer.set_name(net.input(i));
    layer.set_type("Input");
    layer.add_top(net.input(i));
    if (given == 0) continue;
    caffe::BlobShape& shape = *layer.mutable_input_param()->add_shape();
    if (shapes)
      shape = net.input_shape(i);
    else
      for (int d = 0; d < 4; ++d) shape.add_dim(net.input_dim(4 * i + d));
  }
  for (caffe::LayerParameter& layer : *net.mutable_layer()) layers.Add()->Swap(&layer);
  net.mutable_layer()->Swap(&layers);
  net.clear_input();
  net.clear_input_dim();
  net.clear_input_shape();
  return {};
}

template <size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Status upgrade(caffe::NetParameter& net) {
  for (V1& old : *net.mutable_layers()) move_common_fields(old, *net.add_layer());
  net.clear_layers();
  for (caffe::LayerParameter& layer : *net.mutable_layer()) {
    move_aliases(layer);
    for (caffe::BlobProto& blob : *layer.mutable_blobs()) upgrade_blob(blob);
  }
  if (net.input_size() > 0) return input_layers(net);
  return {};
}

bool is_training_only(std::string_view type) {
  static constexpr std::array<std::string_view, 14> kTypes = {
      "Accuracy",
      "CTCLoss",
      "ContrastiveLoss",
      "DetectionEvaluate",
      "EuclideanLoss",
      "HDF5Output",
      "HingeLoss",
      "InfogainLoss",
      "MultiBoxLoss",
      "MultinomialLogisticLoss",
      "SigmoidCrossEntropyLoss",
      "SmoothL1Loss",
      "SoftmaxWithLoss",
      "TripletLoss",
  };
  return contains(kTypes, type);
}

bool is_data_layer(std::string_view type) {
  static constexpr std::array<std::string_view, 6> kTypes = {
      "AnnotatedData", "Data", "HDF5Data", "ImageData", "MemoryData", "WindowData",
  };
  return contains(kTypes, type);
}

}  // namespace tputwin::net
