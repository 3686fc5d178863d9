// Products of the tiny constant matrices of Winograd transforms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tputwin {

template <size_t R, size_t C>
using SmallMatrix = std::array<std::array<int64_t, C>, R>;

// Returns T X T^T.
template <size_t R, size_t K>
constexpr SmallMatrix<R, R> sandwich(const SmallMatrix<R, K>& t, const SmallMatrix<K, K>& x) {
  SmallMatrix<R, K> left{};
  for (size_t i = 0; i < R; ++i)
    for (size_t j = 0; j < K; ++j)
      for (size_t k = 0; k < K; ++k) left[i][j] += t[i][k] * x[k][j];
  SmallMatrix<R, R> result{};
  for (size_t i = 0; i < R; ++i)
    for (size_t j = 0; j < R; ++j)
      for (size_t k = 0; k < K; ++k) result[i][j] += left[i][k] * t[j][k];
  return result;
}

}  // namespace tputwin
