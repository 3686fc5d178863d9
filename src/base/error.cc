// The error catalogue, and the messages of errors.
#include "base/error.h"

#include <fmt/format.h>

#include <array>

#include "base/errors/base.h"
#include "base/errors/bmkernel.h"
#include "base/errors/bmlib.h"
#include "base/errors/bmnet.h"
#include "base/errors/bmodel.h"
#include "base/errors/bmruntime.h"
#include "base/errors/isa.h"
#include "base/errors/machine.h"
#include "base/errors/memory.h"
#include "base/errors/okkernel.h"
#include "base/errors/ops.h"
#include "base/errors/tools.h"
#include "base/errors/tpukernel.h"

namespace tputwin {
namespace {

// The tables of all areas, in the order of the areas.
constexpr ErrorInfo kCatalogue[] = {
#define TW_ERROR(symbol, code, kind, level, rule, reference) \
  {errors::symbol, #symbol, code, ErrorKind::kind, Level::level, rule, reference},
#include "base/errors/base.def"
#include "base/errors/bmkernel.def"
#include "base/errors/bmlib.def"
#include "base/errors/bmnet.def"
#include "base/errors/bmodel.def"
#include "base/errors/bmruntime.def"
#include "base/errors/isa.def"
#include "base/errors/machine.def"
#include "base/errors/memory.def"
#include "base/errors/okkernel.def"
#include "base/errors/ops.def"
#include "base/errors/tools.def"
#include "base/errors/tpukernel.def"
#undef TW_ERROR
};

constexpr size_t kAreas = 0
#define TW_ERROR_AREA(name) +1
#include "base/errors/areas.def"
#undef TW_ERROR_AREA
    ;

// Index of the first row of each area.
constexpr auto kFirst = [] {
  std::array<size_t, kAreas> first{};
  for (size_t i = std::size(kCatalogue); i-- > 0;)
    first[static_cast<size_t>(kCatalogue[i].id) >> 8] = i;
  return first;
}();

}  // namespace

const ErrorInfo& error_info(ErrorId id) {
  const auto number = static_cast<size_t>(id);
  return kCatalogue[kFirst[number >> 8] + (number & 0xFF)];
}

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
  text += fmt::format(" [{}]", reference());
  return text;
}

}  // namespace tputwin
