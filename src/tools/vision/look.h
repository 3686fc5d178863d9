// tputwin run --image: pictures through a net, results as text, files and drawings.
#pragma once

#include <string>
#include <vector>

#include "tools/vision/viewer.h"

namespace tputwin::tools {

enum class ResultFormat : uint8_t { text, json, npy, bin };

struct LookOptions {
  std::vector<std::string> images;  // files, folders, videos
  ViewOptions view;
  ResultFormat format = ResultFormat::text;
  // json: a file. npy, bin: a folder for a file of each picture's each output.
  std::string output;
  // A picture; of several pictures a folder (ending in '/', or there), or one sheet of all.
  std::string draw;
  bool progress = false;
};

struct LookReport {
  std::string text;  // what `tputwin run` prints
  std::vector<Seen> seen;
};

Result<LookReport> look(Net& net, const LookOptions& options);

}  // namespace tputwin::tools
