// The table of Caffe types.
#include <algorithm>
#include <cctype>

#include "bmnet/caffe/layer.h"

namespace tputwin::net {
namespace {

using Kind = LayerKind;

constexpr Kind input(std::string_view type) {
  return {.type = type, .role = Kind::input, .min_bottoms = 0, .max_bottoms = 0, .max_tops = kMany};
}
constexpr Kind dropped(std::string_view type) {
  return {.type = type,
          .role = Kind::dropped,
          .min_bottoms = 0,
          .max_bottoms = kMany,
          .min_tops = 0,
          .max_tops = kMany};
}
constexpr Kind unsupported(std::string_view type, std::string_view instead) {
  Kind kind = dropped(type);
  kind.role = Kind::unsupported;
  kind.instead = instead;
  return kind;
}

constexpr Kind kInputs[] = {input("Input"),      input("MultiInput"),    input("DummyData"),
                            input("Data"),       input("AnnotatedData"), input("ImageData"),
                            input("MemoryData"), input("HDF5Data"),      input("WindowData")};

// Types without an operation: those of training, and those that other types replace.
constexpr Kind kOthers[] = {
    {.type = "Silence", .role = Kind::silence, .max_bottoms = kMany, .min_tops = 0, .max_tops = 0},
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

// Suggestions prefer earlier kinds.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> result;
    for (const std::span<const Kind> some :
         {std::span<const Kind>(kInputs), weighted_layers(), pointwise_layers(), move_layers(),
          detect_layers(), std::span<const Kind>(kOthers)})
      result.insert(result.end(), some.begin(), some.end());
    return result;
  }();
  return all;
}

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
  const auto found = std::ranges::find(kinds(), type, &Kind::type);
  return found == kinds().end() ? nullptr : &*found;
}

std::string suggestion(std::string_view type) {
  const std::string name = lower(type);
  const Kind* nearest = nullptr;
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (const Kind& kind : kinds()) {
    if (kind.role == Kind::unsupported) continue;
    const size_t distance = edit_distance(name, lower(kind.type));
    if (distance >= least) continue;
    least = distance;
    nearest = &kind;
  }
  return nearest == nullptr ? "" : "did you mean " + std::string(nearest->type) + "?";
}

}  // namespace tputwin::net
