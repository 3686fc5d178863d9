// Descriptions of nets as JSON.
#include "tools/vision/description.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "base/checked_json.h"
#include "base/errors/tools.h"
#include "base/file.h"

namespace tputwin::tools {
namespace {

constexpr size_t kMostText = size_t{1} << 26;  // limit of a description and of labels

// Setters of fields, by name.
using Fields = std::map<std::string, std::function<void(const CheckedJson&)>>;

template <class T>
std::function<void(const CheckedJson&)> into(T& target) {
  return [&target](const CheckedJson& value) { target = value.get<T>(); };
}

// Sets one number, or several.
std::function<void(const CheckedJson&)> list_into(std::vector<float>& target) {
  return [&target](const CheckedJson& value) {
    target =
        value.is_array() ? value.get<std::vector<float>>() : std::vector<float>{value.get<float>()};
  };
}

std::string joined_names(const Fields& fields) {
  std::string names;
  for (const auto& [name, ignored] : fields) names += (names.empty() ? "" : ", ") + name;
  return names;
}

Error wrong(const std::string& field, std::string detail) {
  return Error(errors::cli_description).argument("field", field).detail(std::move(detail));
}

Status fill(const CheckedJson& object, const Fields& fields) {
  if (!object.is_object()) return wrong("all", "it is not a JSON object");
  for (const auto& [name, value] : object.items()) {
    const auto field = fields.find(name);
    if (field == fields.end()) return wrong(name, "known are " + joined_names(fields));
    try {
      field->second(value);
    } catch (const CheckedJson::exception& error) {
      return wrong(name, error.what());
    }
  }
  return {};
}

Status fill_detections(const CheckedJson& object, DetectionOptions& options) {
  std::string kind;
  TW_RETURN_IF_ERROR(fill(object, {{"kind", into(kind)},
                                   {"scores", into(options.scores)},
                                   {"boxes", into(options.boxes)},
                                   {"threshold", into(options.threshold)},
                                   {"overlap", into(options.overlap)},
                                   {"background", into(options.background)},
                                   {"anchors", into(options.anchors)},
                                   {"activated", into(options.activated)},
                                   {"sizes", into(options.sizes)},
                                   {"strides", into(options.strides)},
                                   {"variances", into(options.variances)},
                                   {"window", into(options.window)},
                                   {"stride", into(options.stride)},
                                   {"transposed", into(options.transposed)}}));
  if (kind.empty()) return {};
  TW_ASSIGN_OR_RETURN(known, detection_kind(kind));
  options.kind = known;
  return {};
}

}  // namespace

Result<DetectionKind> detection_kind(const std::string& name) {
  static const std::map<std::string, DetectionKind> kKinds{
      {"ssd", DetectionKind::ssd},       {"yolo", DetectionKind::yolo},
      {"yolov5", DetectionKind::yolov5}, {"yolov8", DetectionKind::yolov8},
      {"priors", DetectionKind::priors}, {"mtcnn", DetectionKind::mtcnn}};
  if (const auto found = kKinds.find(name); found != kKinds.end()) return found->second;
  return wrong("detections",
               fmt::format("\"{}\": expected ssd, yolo, yolov5, yolov8, priors or mtcnn", name));
}

Result<std::vector<std::string>> read_labels(const std::string& path) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path, kMostText));
  std::istringstream lines(std::string(bytes.begin(), bytes.end()));
  std::vector<std::string> labels;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    labels.push_back(line);
  }
  return labels;
}

Status read_description(const std::string& path, Description& description) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path, kMostText));
  Status status =
      parse_description({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, description);
  if (!status.ok()) status.error().set_call_if_empty(path);
  return status;
}

Status parse_description(std::string_view text, Description& description) {
  const CheckedJson json = CheckedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  net::DataOptions& preparation = description.preparation;
  CheckedJson detections = CheckedJson::object();
  std::optional<std::vector<int>> resize;
  Status status = fill(
      json, {{"mean", list_into(preparation.mean)},
             {"scale", list_into(preparation.scale)},
             {"rgb", into(preparation.rgb)},
             {"crop", into(preparation.crop)},
             {"letterbox", into(preparation.letterbox)},
             {"border", into(preparation.border)},
             {"resize", [&](const CheckedJson& value) { resize = value.get<std::vector<int>>(); }},
             {"input_threshold", into(description.input_threshold)},
             {"labels", into(description.labels)},
             {"detections", into(detections)}});
  if (status.ok() && resize && resize->size() != 2) status = wrong("resize", "height and width");
  if (status.ok() && resize) {
    preparation.resize_h = resize->front();
    preparation.resize_w = resize->back();
  }
  if (status.ok()) status = fill_detections(detections, description.detections);
  return status;
}

}  // namespace tputwin::tools
