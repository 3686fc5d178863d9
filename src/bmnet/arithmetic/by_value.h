// Float kernels that compute each value by itself.
#pragma once

#include "base/parallel.h"
#include "bmnet/float/kernels.h"

namespace tputwin::net {

template <class Function>
FloatKernel per_value(Function function) {
  return [function](std::span<const Blob* const> inputs, std::span<Blob* const> outputs) -> Status {
    const std::vector<float>& x = inputs[0]->data;
    std::vector<float>& y = outputs[0]->data;
    parallel_for(y.size(), 16384, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) y[i] = function(x[i]);
    });
    return {};
  };
}

// Applies function(x, channel) to outer x channel x inner values.
template <class Function>
FloatKernel per_channel(const AroundAxis& shape, Function function) {
  return [=](std::span<const Blob* const> inputs, std::span<Blob* const> outputs) -> Status {
    parallel_for(shape.outer * shape.axis, 8, [&](size_t begin, size_t end) {
      for (size_t p = begin; p < end; ++p) {
        const float* x = inputs[0]->data.data() + p * shape.inner;
        float* y = outputs[0]->data.data() + p * shape.inner;
        for (int64_t i = 0; i < shape.inner; ++i) y[i] = function(x[i], p % shape.axis);
      }
    });
    return {};
  };
}

}  // namespace tputwin::net
