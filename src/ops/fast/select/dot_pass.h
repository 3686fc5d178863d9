// The pass of foreach_target.h that Highway does not make: for which target, and what it is called.
#pragma once

#include <hwy/detect_targets.h>

// HWY_HAVE_RUNTIME_DISPATCH: where the compiler takes instructions beyond those of its baseline.
// With SVE in the baseline the assembler would have to be told of that, too (gemm/dot-inl.h).
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX2) != 0
#define TPUTWIN_DOT_TARGET HWY_AVX2
#define TPUTWIN_DOT_NAMESPACE N_AVX2_VNNI
#define TPUTWIN_DOT_NAME "avx2_vnni"
#elif HWY_ARCH_ARM_A64 && HWY_HAVE_RUNTIME_DISPATCH && (HWY_TARGETS & HWY_NEON) != 0 && \
    !defined(__ARM_FEATURE_SVE)
#define TPUTWIN_DOT_TARGET HWY_NEON
#define TPUTWIN_DOT_NAMESPACE N_NEON_DOTPROD
#define TPUTWIN_DOT_NAME "neon_dotprod"
#else
#define TPUTWIN_DOT_TARGET 0
#endif
