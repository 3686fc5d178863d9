// Nets of one layer that the compiler for the BM1684X takes.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "bmnet_bm1684x/support.h"

namespace tputwin::net::testing {

struct LayerCase {
  const char* name;
  std::string layer;  // between the input (name "data") and the output
  std::vector<std::vector<int64_t>> blobs;
  std::vector<int64_t> input{2, 6, 11, 9};
};
inline void PrintTo(const LayerCase& c, std::ostream* out) { *out << c.name; }

const std::vector<LayerCase>& layer_cases();
// Returns the graph of a case; its layer is named "y".
std::string net_of(const LayerCase& c);

}  // namespace tputwin::net::testing
