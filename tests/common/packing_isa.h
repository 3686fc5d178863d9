// For tests of packing in fast kernels: an instruction set whose kernels pack, not the host's
// default.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "ops/fast/fast.h"

namespace tputwin::testing {

// Selects the best such instruction set during its lifetime.
class PackingIsa {
 public:
  PackingIsa() {
    constexpr std::array<std::string_view, 3> kOthers{"reference", "onednn", "amx_emulated"};
    for (const std::string& isa : fast::available_isas())
      if (std::ranges::find(kOthers, isa) == kOthers.end()) name_ = isa;
    if (!name_.empty()) fast::select_isa(name_);
  }
  ~PackingIsa() { fast::select_isa(""); }
  PackingIsa(const PackingIsa&) = delete;
  // Empty if there is none.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace tputwin::testing
