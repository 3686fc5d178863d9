// Exposed: memory that the host holds a pointer to, and may write without notice.
#pragma once

#include <optional>
#include <vector>

#include "insight/debug/patch.h"

namespace tputwin::debug {

struct Change {
  Patch before, after;
};

class Exposed {
 public:
  explicit Exposed(const Memory& memory) : memory_(memory) {}

  void add(const ByteRange& range);
  // Returns the changes since the last call, except those reported by wrote().
  std::optional<Change> take_changes();
  void wrote(std::span<const ByteRange> ranges);

 private:
  struct Copy {
    ByteRange range;
    std::vector<uint8_t> bytes;
  };
  Memory memory_;
  std::vector<Copy> copies_;
};

}  // namespace tputwin::debug
