// Unpacking: what prepared bodies can besides whose packed constants tell what they were made of.
#pragma once

#include "memory/memory.h"

namespace tputwin::fast {

class Unpacking {
 public:
  virtual ~Unpacking() = default;
  // The reverse of pack(): writes constants to where the operands say, as they lay there; all of
  // their bytes, or those of some operands. May be called beside run().
  virtual void unpack(const Memory& memory) const = 0;
};

}  // namespace tputwin::fast
