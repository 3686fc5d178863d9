// UltraFace RFB-320: one net that finds faces in a picture of 320x240.
#pragma once

#include <opencv2/core.hpp>

#include "bmnet_faces/boxes.h"
#include "bmnet_faces/nets.h"

namespace tputwin::testing {

// Returns (1,3,240,320) of a picture with channels blue, green, red.
net::Blob ultraface_input(const cv::Mat& picture);
// Returns the boxes of the faces, in pixels.
std::vector<Box> ultraface_detect(const Runner& runner, const cv::Mat& picture);

}  // namespace tputwin::testing
