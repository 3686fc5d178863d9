// The target and names of the additional pass of foreach_target.h, which Highway does not make.
#pragma once

#include <hwy/detect_targets.h>

// HWY_HAVE_RUNTIME_DISPATCH is set where the compiler allows instructions beyond its baseline. With
// SVE in the baseline, the assembler would need directives for SVE, too (gemm/kernels/dot-inl.h).
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
