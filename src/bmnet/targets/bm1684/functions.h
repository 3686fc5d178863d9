// Functions of fp32 on the BM1684: series, tables of L2, and arithmetic.
#pragma once

#include "bmnet/targets/bm1684x/library_function.h"
#include "bmnet/targets/bm1684x/scalar_steps.h"

namespace tputwin::net::bm1684 {

// Returns the work tensors that a function needs. A function without commands needs none.
size_t work_tensors(FloatFunction::Kind kind);
// Returns true if a step has commands.
bool has_step(const bm1684x::ScalarStep& step);
// Emits a function that is set up with result, sources and parameters. The work tensors begin at
// `work`. Sources keep their values.
void emit_function(bm1684x::StreamProgram& program, const FloatFunction& function, const Extents& e,
                   uint32_t work);

// Work tensors of the two functions below.
inline constexpr size_t kWorkOfSteps = 3;
// Emits a choice that compares with a constant by value.
void emit_choice_if_equal(bm1684x::StreamProgram& program, const Select& op, uint32_t work);
// Emits to = from as whole numbers; the two may be the same.
void emit_rounding(bm1684x::StreamProgram& program, const TensorView& to, const TensorView& from,
                   Rounding rounding, uint32_t work);

}  // namespace tputwin::net::bm1684
