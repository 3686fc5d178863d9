// Faults in the contents of an index tensor, which check() does not read. The caller reads them
// after the operation has run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace tputwin {

// The first index that was outside, if there was one.
struct IndexFault {
  std::optional<int64_t> index;
};
using IndexFaultPtr = std::shared_ptr<IndexFault>;  // nullptr: faults are not recorded

inline void note(const IndexFaultPtr& fault, int64_t index) {
  if (fault != nullptr && !fault->index) fault->index = index;
}

}  // namespace tputwin
