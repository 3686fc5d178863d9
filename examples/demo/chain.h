// The demo's image chain, independent of the device that computes it.
//
//   grey u8  1x28x28
//     conv 3x3, 1 -> 8, bias, relu:  blur, edges facing four ways, detail, emboss, diagonal   u8
//     depthwise 3x3:                 smooth each feature                                      i8
//     max pool 2x2, stride 2:        keep the strongest response                              i8
//     depthwise 4x4, zero insertion: back to 28x28, bilinear                                  i8
//     conv 1x1, 8 -> 3, relu:        mix features into light from three sides                 u8
//   colour u8  3x28x28
#pragma once

#include <stdint.h>

#include <vector>

#include "dataset.h"

const int kFeatures = 8, kColours = 3;
const int kPooled = kSide / 2;
const int kFeatureShift = 3, kSmoothShift = 4, kUpscaleShift = 4, kMixShift = 5;

extern const int8_t kFeatureWeights[kFeatures][9];
extern const int16_t kFeatureBias[kFeatures];
extern const int8_t kSmoothWeights[9];
extern const int8_t kUpscaleWeights[16];
extern const int8_t kMixWeights[kColours][kFeatures];

// The results of the chain: 8 features and 3 colours for each image.
struct ChainResult {
  std::vector<uint8_t> features, colours;
};

// Computes the chain in plain host loops.
ChainResult run_on_host(const std::vector<uint8_t>& pixels);
