// ResNet-50 with random weights as an int8 model for the chip.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

struct ResNet {
  std::vector<uint8_t> bmodel;
  size_t instructions;
  double macs;  // of a run
  // Predicted time of these instructions on the BM1880.
  double chip_ms;
};

// Returns false with a reason if that fails. `plugins` is the directory of CPU operators, which are
// put into the model.
bool make_resnet(const std::string& plugins, ResNet& net, std::string& reason);
