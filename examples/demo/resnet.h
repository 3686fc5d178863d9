// ResNet-50 with random weights as an int8 model for the chip.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

struct ResNet {
  std::vector<uint8_t> bmodel;
  size_t instructions;
  double macs;     // of a run
  double chip_ms;  // that the BM1880 is predicted to take for these instructions
};

// False with a reason if that fails. `plugins`: directory of CPU operators, which the model
// carries.
bool make_resnet(const std::string& plugins, ResNet& net, std::string& reason);
