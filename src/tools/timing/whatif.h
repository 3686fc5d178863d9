// tputwin whatif: the predicted time of a program or a model on a chip with other numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// Values to try; of those that are empty the chip's own.
struct WhatIfOptions {
  std::vector<double> lanes, lane_bytes;  // programs run, and models are compiled, anew for each
  std::vector<double> ddr;                // GB/s that are loaded; stores in proportion
  std::vector<double> clock;              // MHz
  std::vector<double> issue, launch;      // microseconds
};

// One chip: what differs from the one that is there, in the order of the options.
struct WhatIfRow {
  std::vector<double> values;
  double microseconds = 0;
  std::string error;  // why there is no time
};
struct WhatIf {
  std::string chip;
  std::vector<std::string> names;  // of the values
  double microseconds = 0;         // as it is
  std::vector<WhatIfRow> rows;
};

// `self`: the tputwin command, which times models on chips with other lanes.
Result<WhatIf> what_if(const WhatIfOptions& options, const std::vector<std::string>& words,
                       const std::string& self = "/proc/self/exe");

std::string whatif_text(const WhatIf& result);
std::string whatif_json(const WhatIf& result);

}  // namespace tputwin::tools
