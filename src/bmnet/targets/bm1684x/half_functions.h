// Functions for results of 16 bits: fp32 steps that are as exact as such a result can show (an
// error of about 2^-18), and a third of the cost of the kernel library's.
#pragma once

#include <span>

#include "bmnet/targets/bm1684x/stream_program.h"
#include "ops/elementwise/float_function.h"

namespace tputwin::net::bm1684x {

// Returns true if the function is one of these.
bool has_half_function(FloatFunction::Kind kind);

// Coefficients of the series of 2^x for |x| <= 1/2, which every lane needs.
std::span<const float> exponential_series();

// The fp32 tensors of a call: all aligned and of one shape. `to` and the work tensors do not
// overlap with `x`.
struct HalfCall {
  TensorView to, x;
  TensorView work[3];
  TensorView series;  // (1,lanes,1,terms)
};
inline constexpr int64_t kHalfWorkTensors = 3;

void call_half_function(StreamProgram& program, FloatFunction::Kind kind,
                        const function32::Parameters& parameters, const HalfCall& call);

}  // namespace tputwin::net::bm1684x
