// Shadow: of each byte of a device's memories, the last writer, the last readers, and whether its
// value is undefined.
#pragma once

#include <array>
#include <vector>

#include "chip/chip.h"
#include "insight/byte_map.h"
#include "insight/history.h"
#include "insight/traces.h"

namespace tputwin::insight {

struct Touched {
  CommandId writer = 0;
  TraceId trace = 0;  // of an undefined value, NaN or infinity
  // Since the last write, the newest reader of each engine.
  std::array<CommandId, 3> readers{};
  bool operator==(const Touched&) const = default;
};

class Shadow {
 public:
  explicit Shadow(const Chip& chip) : chip_(chip), lanes_(chip.lanes) {}

  // Returns the map of the memory that contains a range.
  ByteMap<Touched>& of(const ByteRange& range) {
    return range.space == Space::local ? lanes_[range.lane]
                                       : system_[static_cast<size_t>(range.space)];
  }
  // Marks bytes of the range that were never written as written by `id`. An external pointer may
  // have written them.
  void fill(const ByteRange& range, CommandId id);
  // Calls fill() for all bytes of local memory, L2-SRAM and DTCM.
  void fill_chip(CommandId id);

 private:
  const Chip& chip_;
  std::vector<ByteMap<Touched>> lanes_;
  std::array<ByteMap<Touched>, 4> system_;  // by enum Space
};

}  // namespace tputwin::insight
