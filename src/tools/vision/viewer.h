// Viewer: a net that is shown pictures, and what it sees in them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/net.h"
#include "tools/vision/detections.h"
#include "tools/vision/frames.h"

namespace tputwin::tools {

// What a net sees in one picture.
struct Seen {
  std::string picture;
  std::vector<Scored> classes;   // of a net that classifies
  std::vector<Detection> boxes;  // in pixels of the picture
  std::vector<Array> outputs;    // as the net gives them, of this picture
};

struct ViewOptions {
  Description description;
  size_t top = 5;      // so many classes
  std::string scores;  // the output that has them; empty: the first
};

class Viewer {
 public:
  // The net has one input, of 1 or 3 channels.
  static Result<Viewer> create(Net& net, ViewOptions options);

  // Pictures that are seen at once.
  size_t batch() const { return batch_; }
  // As many as a batch has, or fewer.
  Result<std::vector<Seen>> see(std::span<const Frame> frames) const;
  // "sneaker", or "class 7" without labels.
  std::string label(int label) const;
  bool detects() const { return options_.description.detections.kind != DetectionKind::none; }

 private:
  Viewer(Net& net, ViewOptions options) : net_(net), options_(std::move(options)) {}
  Status prepare(const Frame& frame, std::span<float> values) const;
  Result<Seen> seen(const Frame& frame, size_t image, std::span<const Array> outputs,
                    std::span<const std::vector<float>> values) const;

  Net& net_;
  ViewOptions options_;  // `shape` of the preparation is that of a picture, before it is transposed
  size_t batch_ = 1;
};

// The values of an array of a tensor, integers by its step.
std::vector<float> floats_of(const Array& array, const NetTensor& tensor);

}  // namespace tputwin::tools
