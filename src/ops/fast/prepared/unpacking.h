// Unpacking: an interface of prepared kernels whose packed constants determine the original bytes.
#pragma once

#include "memory/memory.h"

namespace tputwin::fast {

class Unpacking {
 public:
  virtual ~Unpacking() = default;
  // Reverses pack(): writes constants back to their operands, unchanged. Writes all bytes, or those
  // of some operands. May be called concurrently with run().
  virtual void unpack(const Memory& memory) const = 0;
};

}  // namespace tputwin::fast
