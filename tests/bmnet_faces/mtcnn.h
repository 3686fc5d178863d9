// MTCNN: three nets that find faces, with the thresholds of its authors.
#pragma once

#include <opencv2/core.hpp>

#include "bmnet_faces/boxes.h"
#include "bmnet_faces/nets.h"

namespace tputwin::testing {

struct Mtcnn {
  Runner proposal, refine, output;  // det1 of any size, det2 of 24x24, det3 of 48x48

  // Returns the faces of a picture with channels blue, green, red.
  std::vector<Box> detect(const cv::Mat& picture) const;
};

// Returns the inputs of det1: the picture in all scales, (1,3,width,height).
std::vector<net::Blob> pyramid(const cv::Mat& picture);
// Returns the scales cut into tiles of one shape, (1,3,width,height), for calibration.
Samples pyramid_tiles(const cv::Mat& picture, int width, int height);

}  // namespace tputwin::testing
