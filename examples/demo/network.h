// From a float Caffe net to a model for the chip, and the float net itself for comparison.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <functional>
#include <string>
#include <vector>

#include "dataset.h"

// A pixel's value as the nets were trained with.
const float kPixelScale = 1.0f / 256;

struct CompileJob {
  std::string net;      // NET.prototxt and NET.caffemodel
  std::string data;     // directory of the training images
  size_t calibration;   // how many of them thresholds are measured on
  int batch;            // images per run
  std::string plugins;  // directory of CPU operators, which the model carries
};

struct CompiledNet {
  std::vector<uint8_t> bmodel;
  size_t layers, weights;  // of the folded net; weights are numbers
  size_t weight_bytes;     // of the model
};

// Folds batch normalization, calibrates, quantizes and compiles. False with a reason if that fails.
bool compile_net(const CompileJob& job, CompiledNet& compiled, std::string& reason);

// The class the float net sees in every image, `batch` at a time.
bool classify_float(const CompileJob& job, const Dataset& images,
                    const std::function<void(size_t)>& progress, std::vector<uint8_t>& classes,
                    std::string& reason);
