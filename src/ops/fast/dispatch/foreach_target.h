// Highway's foreach_target.h, and one more pass for byte products that Highway has no target for:
// AVX-VNNI on top of AVX2, Arm's dot product on top of NEON. The pass compiles the file again for
// the base target, in a namespace of its own. TPUTWIN_DOT_PASS is defined in it, so that
// gemm/kernels/dot-inl.h uses the instruction. Exported functions are called through
// TPUTWIN_DISPATCH.
#ifndef TPUTWIN_OPS_FAST_DISPATCH_FOREACH_TARGET_H_
#define TPUTWIN_OPS_FAST_DISPATCH_FOREACH_TARGET_H_

#include <hwy/foreach_target.h>

#include "ops/fast/dispatch/dot_pass.h"
#include "ops/fast/dispatch/isa.h"

#if TPUTWIN_DOT_TARGET != 0

// These are the macros of Highway's passes.
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

#endif  // TPUTWIN_OPS_FAST_DISPATCH_FOREACH_TARGET_H_
