// Pictures with the results of a net.
#pragma once

#include "tools/vision/viewer.h"

namespace tputwin::tools {

// Returns the picture with its boxes and their names, or with the best classes below it.
cv::Mat drawn(const cv::Mat& picture, const Seen& seen, const Viewer& viewer);
// Returns pictures in rows.
cv::Mat sheet(const std::vector<cv::Mat>& pictures);
Status write_picture(const std::string& path, const cv::Mat& picture);

}  // namespace tputwin::tools
