// Properties of a net that its file does not hold: the preparation of pictures as its input, and
// the meaning of its outputs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bmnet/data/data_set.h"

namespace tputwin::tools {

// Kinds of conversion from outputs to boxes.
enum class DetectionKind : uint8_t {
  none,  // the net classifies
  // Rows image, label, score, x1, y1, x2, y2 in parts of the sample; also of YoloPost.
  ssd,
  yolo,  // planes of x, y, w, h, objectness and classes for each anchor
  // As yolo in the form of version 5; or, without anchors, rows of boxes in pixels.
  yolov5,
  yolov8,  // columns or rows of x, y, w, h and classes in pixels
  // Scores and boxes of prior boxes in a grid for each stride, as in UltraFace.
  priors,
  mtcnn  // planes of probabilities and of corrections of a sliding window
};

struct DetectionOptions {
  DetectionKind kind = DetectionKind::none;
  // Names of outputs; empty: found by their shapes.
  std::string scores, boxes;
  float threshold = 0.5f;  // least score
  // Overlap with a better box of the same label from which a box is removed.
  float overlap = 0.45f;
  int background = -1;  // the label that is no object
  // yolo: width and height of each anchor in pixels of the sample, for each output. `activated`:
  // the net applies the logistic function itself.
  std::vector<std::vector<float>> anchors;
  bool activated = false;
  // priors: their sizes in pixels of the sample, for each stride.
  std::vector<std::vector<float>> sizes;
  std::vector<int> strides;
  std::vector<float> variances{0.1f, 0.2f};
  // mtcnn: the window.
  int window = 12, stride = 2;
  bool transposed = false;  // rows and columns of the net's pictures are swapped
};

struct Description {
  net::DataOptions preparation;
  // For models without a threshold; 0: the model's.
  float input_threshold = 0;
  std::vector<std::string> labels;
  DetectionOptions detections;
};

// Reads JSON; fields that it does not name are not changed.
Status parse_description(std::string_view json, Description& description);
Status read_description(const std::string& path, Description& description);
// Reads one label per line.
Result<std::vector<std::string>> read_labels(const std::string& path);
// Returns the kind named "ssd", ...; for other names an error that lists them.
Result<DetectionKind> detection_kind(const std::string& name);

}  // namespace tputwin::tools
