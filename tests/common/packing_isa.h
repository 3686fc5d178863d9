// For tests of what bodies pack: an instruction set on which they do, whatever the host prefers.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "ops/fast/fast.h"

namespace tputwin::testing {

// The best one, while it lives.
class PackingIsa {
 public:
  PackingIsa() {
    constexpr std::array<std::string_view, 3> kOthers{"reference", "onednn", "amx"};
    for (const std::string& isa : fast::available_isas())
      if (std::ranges::find(kOthers, isa) == kOthers.end()) name_ = isa;
    if (!name_.empty()) fast::select_isa(name_);
  }
  ~PackingIsa() { fast::select_isa(""); }
  PackingIsa(const PackingIsa&) = delete;
  // Empty: there is none.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace tputwin::testing
