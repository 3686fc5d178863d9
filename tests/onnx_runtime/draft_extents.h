// Extents that the other kinds of random models draw seldom.
#pragma once

#include "onnx_runtime/draft.h"

namespace tputwin::test {

// Few and small extents, of which one may be 1 or long.
inline Dims extents(Draft& d, size_t least = 1, size_t most = 6, bool may_be_long = true) {
  Dims dims;
  for (auto axes = d.range(static_cast<int64_t>(least), static_cast<int64_t>(most)); axes > 0;
       --axes)
    dims.push_back(d.rng.chance(1, 4) ? 1 : d.range(1, dims.size() < 3 ? 5 : 3));
  if (may_be_long && d.rng.chance(1, 6))
    dims[d.rng.below(dims.size())] =
        d.rng.pick({int64_t{255}, int64_t{257}, int64_t{2049}, int64_t{4097}, int64_t{5000}});
  return dims;
}

inline size_t at(int64_t axis, const Dims& dims) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(dims.size()) : axis);
}

inline Dims several(Draft& d, size_t values, int64_t least, int64_t most) {
  Dims all;
  for (; values > 0; --values) all.push_back(d.range(least, most));
  return all;
}

}  // namespace tputwin::test
