// Highway's foreach_target.h, and one pass more for byte products that Highway has no target for:
// AVX-VNNI beside AVX2, Arm's dot product beside NEON. The pass compiles the file for the target
// beneath again, in a namespace of its own and with TPUTWIN_DOT_PASS defined, from which
// gemm/dot-inl.h knows that it has the instruction. What is exported is called by TPUTWIN_DISPATCH.
#ifndef TPUTWIN_OPS_FAST_SELECT_FOREACH_TARGET_H_
#define TPUTWIN_OPS_FAST_SELECT_FOREACH_TARGET_H_

#include <hwy/foreach_target.h>

#include "ops/fast/select/dot_pass.h"
#include "ops/fast/select/isa.h"

#if TPUTWIN_DOT_TARGET != 0

// As Highway makes its passes.
#undef HWY_ONCE
#define HWY_ONCE 0
#undef HWY_TARGET
#define HWY_TARGET TPUTWIN_DOT_TARGET
#if HWY_ARCH_X86
#define N_AVX2 TPUTWIN_DOT_NAMESPACE
#else
#define N_NEON TPUTWIN_DOT_NAMESPACE
#endif
#define TPUTWIN_DOT_PASS

#include HWY_TARGET_INCLUDE

#undef TPUTWIN_DOT_PASS
#undef N_AVX2
#undef N_NEON
#ifdef HWY_TARGET_TOGGLE
#undef HWY_TARGET_TOGGLE
#else
#define HWY_TARGET_TOGGLE
#endif
#undef HWY_TARGET
#define HWY_TARGET HWY_STATIC_TARGET
#undef HWY_ONCE
#define HWY_ONCE 1

#define TPUTWIN_DISPATCH(function)                                         \
  (*(tputwin::fast::dot_pass_selected() ? &TPUTWIN_DOT_NAMESPACE::function \
                                        : &HWY_DYNAMIC_DISPATCH(function)))

#else
#define TPUTWIN_DISPATCH(function) HWY_DYNAMIC_DISPATCH(function)
#endif

#endif  // TPUTWIN_OPS_FAST_SELECT_FOREACH_TARGET_H_
