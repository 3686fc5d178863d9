// tputwin run --image: runs a net on pictures, with results as text, files and drawings.
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
  // json: a file. npy, bin: a folder, with a file for each output of each picture.
  std::string output;
  // A file for one picture. For several, a folder (ending in '/', or existing), or one sheet of
  // all.
  std::string draw;
  bool progress = false;
};

struct LookReport {
  std::string text;  // printed by `tputwin run`
  std::vector<Seen> seen;
};

Result<LookReport> look(Net& net, const LookOptions& options);

}  // namespace tputwin::tools
