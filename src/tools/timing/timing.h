// tputwin timing: the timeline of a program or a model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "insight/timing/timeline.h"
#include "tools/program.h"

namespace tputwin::tools {

// Runs a host program with its arguments and returns its timeline. The commands of a bmodel are
// simulated without a run, as are those of a Caffe model (NET.caffemodel, its table, optionally its
// graph), which is compiled for the BM1880. A program that fails after commands has the timeline up
// to there; `end` is how it ended.
Result<insight::Timeline> timeline_of_words(const std::vector<std::string>& words,
                                            ProgramEnd* end = nullptr);
// Reads the recording that a program wrote under TPUTWIN_TIMING, and removes it. A program that was
// killed leaves a part under another name (base/atomic_file.h), whose last line may be cut.
std::string take_recording(const std::filesystem::path& path);
bool is_model(const std::vector<std::string>& words);

// Returns the text of `tputwin timing`; --json writes it too.
std::string timing_text(const insight::Timeline& timeline);
std::string timing_json(const insight::Timeline& timeline);

}  // namespace tputwin::tools
