/*
 * Header for programs of later SDKs, which take shapes, tensors, control flags and chip information
 * from here. bm_kernel.h declares everything.
 */
#ifndef BMKERNEL_BM_KERNEL_LEGACY_H
#define BMKERNEL_BM_KERNEL_LEGACY_H

#include "bm_kernel.h"

#endif
