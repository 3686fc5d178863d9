// Pictures with what a net sees in them.
#pragma once

#include "tools/vision/viewer.h"

namespace tputwin::tools {

// The picture with its boxes and their names, or with the best classes below it.
cv::Mat drawn(const cv::Mat& picture, const Seen& seen, const Viewer& viewer);
// Pictures side by side, in rows.
cv::Mat sheet(const std::vector<cv::Mat>& pictures);
Status write_picture(const std::string& path, const cv::Mat& picture);

}  // namespace tputwin::tools
