// tputwin whatif: the predicted time of a program or a model on a chip with other numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Values to try; for empty lists the chip's own.
struct WhatIfOptions {
  // Each needs a new run of the program or compilation.
  std::vector<double> lanes, lane_bytes;
  std::vector<double> ddr;            // GB/s of loads; stores in proportion
  std::vector<double> clock;          // MHz
  std::vector<double> issue, launch;  // microseconds
};

// One chip: the numbers that differ from the existing chip, in the order of the options.
struct WhatIfRow {
  std::vector<double> values;
  double microseconds = 0;
  std::string error;  // reason of a missing time
};
struct WhatIf {
  std::string chip;
  std::vector<std::string> names;  // names of the values
  double microseconds = 0;         // time of the unchanged chip
  std::vector<WhatIfRow> rows;
};

// `self` is the tputwin command, which times models on chips with other lanes.
Result<WhatIf> what_if(const WhatIfOptions& options, const std::vector<std::string>& words,
                       const std::string& self = "/proc/self/exe");

std::string whatif_text(const WhatIf& result);
std::string whatif_json(const WhatIf& result);

}  // namespace tputwin::tools
