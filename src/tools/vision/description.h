// What a net's file does not say: how pictures become its input, and what its outputs mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bmnet/data/data_set.h"

namespace tputwin::tools {

// How outputs become boxes.
enum class DetectionKind : uint8_t {
  none,    // the net classifies
  ssd,     // rows image, label, score, x1, y1, x2, y2 in parts of the sample; also of YoloPost
  yolo,    // planes of x, y, w, h, objectness and classes for each anchor
  yolov5,  // the same in the manner of version 5; or, without anchors, rows of them in pixels
  yolov8,  // columns or rows of x, y, w, h and classes in pixels
  priors,  // scores and boxes of prior boxes in a grid for each stride, as UltraFace
  mtcnn    // planes of probabilities and of corrections of a sliding window
};

struct DetectionOptions {
  DetectionKind kind = DetectionKind::none;
  std::string scores, boxes;  // outputs; empty: found by their shapes
  float threshold = 0.5f;     // of scores
  float overlap = 0.45f;      // of a better box of the same label, by which a box is left out
  int background = -1;        // the label that is no object
  // yolo: width and height of each anchor in pixels of the sample, for each output; whether the net
  // applies the logistic function itself.
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
  float input_threshold = 0;  // of models that do not tell; 0: as the model tells
  std::vector<std::string> labels;
  DetectionOptions detections;
};

// JSON; what it does not name stays.
Status parse_description(std::string_view json, Description& description);
Status read_description(const std::string& path, Description& description);
// A label a line.
Result<std::vector<std::string>> read_labels(const std::string& path);
// "ssd", ...; an error that lists them for others.
Result<DetectionKind> detection_kind(const std::string& name);

}  // namespace tputwin::tools
