// Shadow: who wrote and who read each byte of a device's memories last.
#pragma once

#include <array>
#include <vector>

#include "chip/chip.h"
#include "insight/byte_map.h"
#include "insight/history.h"

namespace tputwin::insight {

struct Touched {
  CommandId writer = 0;
  std::array<CommandId, 3> readers{};  // since then, the newest of each engine
  bool operator==(const Touched&) const = default;
};

class Shadow {
 public:
  explicit Shadow(const Chip& chip) : chip_(chip), lanes_(chip.lanes) {}

  // The memory that a range lies in.
  ByteMap<Touched>& of(const ByteRange& range) {
    return range.space == Space::local ? lanes_[range.lane]
                                       : system_[static_cast<size_t>(range.space)];
  }
  // Somebody may write all of these bytes: those that nobody wrote count as written by `id`.
  void fill(const ByteRange& range, CommandId id);
  // The same of all memories on the chip.
  void fill_chip(CommandId id);

 private:
  const Chip& chip_;
  std::vector<ByteMap<Touched>> lanes_;
  std::array<ByteMap<Touched>, 4> system_;  // by enum Space
};

}  // namespace tputwin::insight
