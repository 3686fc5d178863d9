// Provenance: who wrote bytes last, and which computation or copy of the host they come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "insight/debug/debugger.h"

namespace tputwin::debug {

struct Written {
  Moment moment;  // of the entry
  std::vector<ByteRange> bytes;
};
// The last writers of bytes before now, the newest first. `unknown`: what nobody wrote since the
// begin of what is kept.
struct Writers {
  std::vector<Written> known;
  std::vector<ByteRange> unknown;
};
Writers last_writers(const Journal& journal, std::vector<ByteRange> bytes);

// The way of one byte, from its last writer back: moves, and at the end what made it.
struct Step {
  Moment moment;
  ByteRange byte;  // as it wrote it
};
std::vector<Step> way_of(Debugger& debugger, const ByteRange& byte);

// The operand that an operation writes and the element of it that a byte belongs to.
struct ElementPlace {
  std::string_view operand;
  TensorView view;
  uint32_t n, c, h, w;
};
std::optional<ElementPlace> element_of(const Operation& op, const Chip& chip,
                                       const ByteRange& byte);

}  // namespace tputwin::debug
