/*
 * Programs written for later SDKs take shapes, tensors, control flags and chip information from
 * this header; everything is declared in bm_kernel.h.
 */
#ifndef BMKERNEL_BM_KERNEL_LEGACY_H
#define BMKERNEL_BM_KERNEL_LEGACY_H

#include "bm_kernel.h"

#endif
