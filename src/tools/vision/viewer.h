// Viewer: a net with pictures as inputs, and its results for them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/net.h"
#include "tools/vision/detections.h"
#include "tools/vision/frames.h"

namespace tputwin::tools {

// Results of a net for one picture.
struct Seen {
  std::string picture;
  std::vector<Scored> classes;   // for a net that classifies
  std::vector<Detection> boxes;  // in pixels of the picture
  std::vector<Array> outputs;    // outputs of the net for this picture
};

struct ViewOptions {
  Description description;
  size_t top = 5;  // number of classes in the result
  // Name of the output with the scores; empty: the first.
  std::string scores;
};

class Viewer {
 public:
  // The net must have one input, of 1 or 3 channels.
  static Result<Viewer> create(Net& net, ViewOptions options);

  // Returns the number of pictures in a run.
  size_t batch() const { return batch_; }
  // Takes as many pictures as a batch has, or fewer.
  Result<std::vector<Seen>> see(std::span<const Frame> frames) const;
  // Returns "sneaker", or "class 7" without labels.
  std::string label(int label) const;
  bool detects() const { return options_.description.detections.kind != DetectionKind::none; }

 private:
  Viewer(Net& net, ViewOptions options) : net_(net), options_(std::move(options)) {}
  Status prepare(const Frame& frame, std::span<float> values) const;
  Result<Seen> seen(const Frame& frame, size_t image, std::span<const Array> outputs,
                    std::span<const std::vector<float>> values) const;

  Net& net_;
  // `shape` of the preparation is that of a picture, before it is transposed.
  ViewOptions options_;
  size_t batch_ = 1;
};

// Returns the values of an array of a tensor; integers are multiplied by its step.
std::vector<float> floats_of(const Array& array, const NetTensor& tensor);

}  // namespace tputwin::tools
