// From a float Caffe net to a model for the chip, and the float net itself for comparison.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <functional>
#include <string>
#include <vector>

#include "dataset.h"

// Scale of pixel values in the training of the nets.
const float kPixelScale = 1.0f / 256;

struct CompileJob {
  std::string net;     // NET.prototxt and NET.caffemodel
  std::string data;    // directory of the training images
  size_t calibration;  // number of images that measure thresholds
  int batch;           // images per run
  // Directory of CPU operators, which are put into the model.
  std::string plugins;
};

struct CompiledNet {
  std::vector<uint8_t> bmodel;
  size_t layers, weights;  // of the folded net; weights are numbers
  size_t weight_bytes;     // of the model
};

// Folds batch normalization, calibrates, quantizes and compiles. False with a reason if that fails.
bool compile_net(const CompileJob& job, CompiledNet& compiled, std::string& reason);

// Finds the float net's class of every image, `batch` at a time.
bool classify_float(const CompileJob& job, const Dataset& images,
                    const std::function<void(size_t)>& progress, std::vector<uint8_t>& classes,
                    std::string& reason);
