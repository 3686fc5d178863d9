// The Caffe types.
#include <algorithm>
#include <cctype>

#include "bmnet/caffe/layer.h"

namespace tputwin::net {
namespace {

constexpr int kMany = 1024;
using Kind = LayerKind;

constexpr Kind one(std::string_view type, void (*import)(Importer&)) {
  return {type, Kind::compute, 1, 1, 1, 1, import};
}
constexpr Kind several(std::string_view type, int min_bottoms, int max_bottoms,
                       void (*import)(Importer&), int max_tops = 1) {
  return {type, Kind::compute, min_bottoms, max_bottoms, 1, max_tops, import};
}
constexpr Kind expanded(Kind kind, std::vector<caffe::LayerParameter> (*expand)(const Importer&)) {
  kind.expand = expand;
  return kind;
}
constexpr Kind input(std::string_view type) { return {type, Kind::input, 0, 0, 1, kMany}; }
constexpr Kind dropped(std::string_view type) { return {type, Kind::dropped, 0, kMany, 0, kMany}; }
constexpr Kind unsupported(std::string_view type, std::string_view instead) {
  return {type, Kind::unsupported, 0, kMany, 0, kMany, nullptr, instead};
}

constexpr Kind kKinds[] = {
    input("Input"),
    input("MultiInput"),
    input("DummyData"),
    input("Data"),
    input("AnnotatedData"),
    input("ImageData"),
    input("MemoryData"),
    input("HDF5Data"),
    input("WindowData"),

    one("Convolution", import_convolution),
    one("DepthwiseConvolution", import_depthwise),
    one("ConvolutionDepthwise", import_depthwise),
    one("Deconvolution", import_deconvolution),
    one("InnerProduct", import_inner_product),
    one("Pooling", import_pooling),
    one("BatchNorm", import_batch_norm),
    expanded(several("Scale", 1, 2, import_scale), expand_scale),
    expanded(several("Axpy", 3, 3, import_axpy), expand_axpy),
    one("Bias", import_bias),
    expanded(one("LRN", import_lrn), expand_lrn),
    one("Normalize", import_normalize),

    one("ReLU", import_relu),
    one("ReLU6", import_relu6),
    one("Clip", import_clip),
    one("Sigmoid", import_sigmoid),
    one("TanH", import_tanh),
    one("ELU", import_elu),
    one("AbsVal", import_abs),
    one("Power", import_power),
    one("PReLU", import_prelu),
    one("Softmax", import_softmax),
    expanded(several("Eltwise", 2, kMany, import_eltwise), expand_eltwise),

    several("Concat", 1, kMany, import_concat),
    several("Join", 1, kMany, import_join),
    several("Slice", 1, 1, import_slice, kMany),
    several("Split", 1, 1, import_removed, kMany),
    one("Dropout", import_removed),
    one("Flatten", import_flatten),
    one("Reshape", import_reshape),
    one("Permute", import_permute),
    several("Crop", 2, 2, import_crop),
    one("Reduction", import_reduction),
    one("ShuffleChannel", import_shuffle_channel),
    one("Upsample", import_upsample),
    one("Reorg", import_reorg),
    one("Tile", import_tile),
    one("Reverse", import_reverse),
    one("Interp", import_interp),

    several("PriorBox", 2, 2, import_prior_box),
    several("DetectionOutput", 3, 3, import_detection_output),
    several("DetectOutput", 3, 3, import_detection_output),
    several("Proposal", 3, 3, import_proposal, 2),
    several("ROIPooling", 2, 2, import_roi_pooling),
    several("PSROIPooling", 2, 2, import_psroi_pooling),
    one("Region", import_region),
    one("Yolo", import_yolo),
    several("YoloPost", 1, kMany, import_yolo_post),

    {"Silence", Kind::silence, 1, kMany, 0, 0},
    dropped("Accuracy"),
    dropped("CTCLoss"),
    dropped("ContrastiveLoss"),
    dropped("DetectionEvaluate"),
    dropped("EuclideanLoss"),
    dropped("HDF5Output"),
    dropped("HingeLoss"),
    dropped("InfogainLoss"),
    dropped("MultiBoxLoss"),
    dropped("MultinomialLogisticLoss"),
    dropped("SigmoidCrossEntropyLoss"),
    dropped("SmoothL1Loss"),
    dropped("SoftmaxWithLoss"),
    dropped("TripletLoss"),

    unsupported("ArgMax", "leave it to the program that reads the scores"),
    unsupported("BN", "BatchNorm and Scale"),
    unsupported("BNLL", "a customized layer"),
    unsupported("BatchReindex", "a customized layer"),
    unsupported("Embed", "a customized layer"),
    unsupported("Exp", "a customized layer"),
    unsupported("Filter", "a customized layer"),
    unsupported("Im2col", "Convolution"),
    unsupported("LSTM", "the steps written out with InnerProduct, Sigmoid, TanH and Eltwise"),
    unsupported("LSTMUnit", "Sigmoid, TanH and Eltwise"),
    unsupported("Log", "a customized layer"),
    unsupported("MVN", "BatchNorm with fixed statistics, or a customized layer"),
    unsupported("Parameter", "weights of the layer that uses them"),
    unsupported("Python", "a customized layer; Proposal for the proposal layer of Faster R-CNN"),
    unsupported("RNN", "the steps written out with InnerProduct and TanH"),
    unsupported("Recurrent", "the steps written out"),
    unsupported("SPP", "several Pooling layers, Flatten and Concat"),
    unsupported("Threshold", "leave it to the program that reads the scores"),
};

std::string lower(std::string_view text) {
  std::string result(text.substr(0, 64));
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const LayerKind* find_kind(std::string_view type) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const Kind& kind) { return kind.type == type; });
  return found == std::end(kKinds) ? nullptr : found;
}

std::string suggestion(std::string_view type) {
  const std::string name = lower(type);
  const Kind* nearest = nullptr;
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (const Kind& kind : kKinds) {
    if (kind.role == Kind::unsupported) continue;
    const size_t distance = edit_distance(name, lower(kind.type));
    if (distance >= least) continue;
    least = distance;
    nearest = &kind;
  }
  return nearest == nullptr ? "" : "did you mean " + std::string(nearest->type) + "?";
}

}  // namespace tputwin::net
