// The names of the checks.
#include "insight/checks.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "base/errors/machine.h"

namespace tputwin::insight {
namespace {

constexpr std::array kChecks{
#define TW_CHECK(name, in_all, text) CheckInfo{#name, text, in_all},
#include "insight/checks.def"
#undef TW_CHECK
};

Error unknown(std::string_view word) {
  std::string names = "all";
  for (const CheckInfo& check : kChecks) names += fmt::format(", {}", check.name);
  return Error(errors::mch_check).argument("TPUTWIN_CHECK", std::string(word)).detail(names);
}

}  // namespace

std::span<const CheckInfo> check_catalogue() { return kChecks; }

Result<Checks> parse_checks(std::string_view text) {
  Checks checks;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    bool known = false;
    for (size_t i = 0; i < kChecks.size(); ++i) {
      const bool is_meant = word == "all" ? kChecks[i].in_all : word == kChecks[i].name;
      if (word == "all") known = true;
      if (!is_meant) continue;
      checks.add(static_cast<Check>(i));
      known = true;
    }
    if (!known) return unknown(word);
  }
  return checks;
}

}  // namespace tputwin::insight
