// Provenance: the last writers of bytes, and the computation or host copy that they come from.
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
// The last writers of bytes before now, newest first. `unknown` holds bytes that no kept entry
// wrote.
struct Writers {
  std::vector<Written> known;
  std::vector<ByteRange> unknown;
};
Writers last_writers(const Journal& journal, std::vector<ByteRange> bytes);

// One entry that wrote a byte or moved it. way_of() returns the steps back from the last writer,
// over moves, to the entry that computed the byte.
struct Step {
  Moment moment;
  ByteRange byte;  // as this entry wrote it
};
std::vector<Step> way_of(Debugger& debugger, const ByteRange& byte);

// The written operand of an operation, and the element of it that a byte belongs to.
struct ElementPlace {
  std::string_view operand;
  TensorView view;
  uint32_t n, c, h, w;
};
std::optional<ElementPlace> element_of(const Operation& op, const Chip& chip,
                                       const ByteRange& byte);

}  // namespace tputwin::debug
