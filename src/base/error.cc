#include "base/error.h"

#include <fmt/format.h>

#include <array>

namespace tputwin {
namespace {

constexpr ErrorInfo kCatalogue[] = {
#define TW_ERROR(symbol, code, kind, level, rule, reference) \
  {ErrorId::symbol, #symbol, code, ErrorKind::kind, Level::level, rule, reference},
#include "base/errors.def"
#undef TW_ERROR
};

}  // namespace

const ErrorInfo& error_info(ErrorId id) { return kCatalogue[static_cast<size_t>(id)]; }

std::span<const ErrorInfo> error_catalogue() { return kCatalogue; }

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::contract_violation:
      return "contract violation";
    case ErrorKind::undefined_value:
      return "undefined value";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::malformed:
      return "malformed";
    case ErrorKind::resource:
      return "resource";
    case ErrorKind::internal:
      return "internal";
  }
  return "unknown";
}

std::string Error::message() const {
  const ErrorInfo& row = info();
  std::string text(row.code);
  if (!call_.empty()) text += fmt::format(" {}:", call_);
  if (!argument_.empty()) text += fmt::format(" {} = {}:", argument_, value_);
  text += fmt::format(" {}", row.rule);
  if (!detail_.empty()) text += fmt::format("; {}", detail_);
  text += fmt::format(" [{}]", row.reference);
  return text;
}

}  // namespace tputwin
