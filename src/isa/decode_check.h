// Helpers of the decoders: errors with the name and value of a field.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

#include "base/error.h"
#include "base/errors/isa.h"

namespace tputwin::isa {

inline Error field_error(ErrorId id, std::string_view field, uint64_t value) {
  return Error(id).argument(field,
                            value < 4096 ? fmt::format("{}", value) : fmt::format("{:#x}", value));
}

struct NamedValue {
  std::string_view field;
  uint64_t value;
};

// Fails with the first value that is zero.
inline Status require_nonzero(std::initializer_list<NamedValue> values) {
  for (const NamedValue& v : values)
    if (v.value == 0) return field_error(errors::isa_zero_extent, v.field, 0);
  return {};
}

}  // namespace tputwin::isa

// For functions with a descriptor `d`: returns an error about the field unless the condition holds.
#define TW_FIELD_RULE(condition, id, field) \
  if (!(condition)) [[unlikely]]            \
  return field_error(errors::id, #field, d.field)
