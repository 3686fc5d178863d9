// The vendor's bmodels with recorded outputs, as listed in the shared data.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "common/parameter_name.h"
#include "common/shared_data.h"

namespace tputwin::testing {

struct RealCase {
  std::string model, shape, input, reference;  // paths; the shape as N,C,H,W

  std::vector<uint32_t> extents() const {
    std::vector<uint32_t> list;
    std::istringstream text(shape);
    for (std::string extent; std::getline(text, extent, ',');)
      list.push_back(static_cast<uint32_t>(std::stoul(extent)));
    return list;
  }
};

inline void PrintTo(const RealCase& c, std::ostream* out) { *out << c.model << " " << c.shape; }

// Returns the folder and the name of the model and the shape.
inline std::string name_of_real_case(const ::testing::TestParamInfo<RealCase>& info) {
  const std::filesystem::path model = info.param.model;
  return parameter_name(model.parent_path().filename().string() + " " + model.stem().string() +
                        " " + info.param.shape);
}

constexpr const char* kRealModels = "bm1880-real";

// Returns no cases if the data is missing.
inline std::vector<RealCase> real_cases() {
  const std::string folder = shared_data(kRealModels) + "/";
  std::ifstream file(folder + "cases.txt");
  std::vector<RealCase> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    RealCase c;
    if (line.starts_with("#") || !(fields >> c.model >> c.shape >> c.input >> c.reference))
      continue;
    for (std::string* path : {&c.model, &c.input, &c.reference}) *path = folder + *path;
    cases.push_back(c);
  }
  return cases;
}

}  // namespace tputwin::testing
