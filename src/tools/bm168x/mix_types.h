// The part of `tputwin calibrate --chip bm1684x` that follows the thresholds: what the compiled net
// loses, and the layers that need wider numbers.
#pragma once

#include <string>

#include "tools/calibrate.h"

namespace tputwin::tools {

// Runs the compiled net on the first samples and compares it with the float net. With
// options.reach, sets types of layers in the table until every output reaches the cosine. Sets the
// cosines of outputs in the report. `text` and `json` get the trials.
Status mix_types(const CalibrateRequest& request, const std::vector<const net::DataSet*>& data,
                 uint64_t samples, net::Calibration& result, std::string& text, std::string& json);

}  // namespace tputwin::tools
