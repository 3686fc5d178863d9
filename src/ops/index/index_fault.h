// What a body found out about the contents of an index tensor, which no check() sees: the caller
// looks here after the operation has run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace tputwin {

// The first index that pointed outside, if any did.
struct IndexFault {
  std::optional<int64_t> index;
};
using IndexFaultPtr = std::shared_ptr<IndexFault>;  // nullptr: nobody wants to know

inline void note(const IndexFaultPtr& fault, int64_t index) {
  if (fault != nullptr && !fault->index) fault->index = index;
}

}  // namespace tputwin
