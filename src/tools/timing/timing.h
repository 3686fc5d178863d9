// tputwin timing: the timeline of a program or a model.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "insight/timing/timeline.h"

namespace tputwin::tools {

// Of a host program with its arguments, which is run; of the commands of a bmodel, or of a Caffe
// model (NET.caffemodel, its table, perhaps its graph) compiled for the BM1880, which are not.
// Simulated.
Result<insight::Timeline> timeline_of_words(const std::vector<std::string>& words);
bool is_model(const std::vector<std::string>& words);

// What `tputwin timing` prints, and writes with --json.
std::string timing_text(const insight::Timeline& timeline);
std::string timing_json(const insight::Timeline& timeline);

}  // namespace tputwin::tools
