/*
 * Matrix products on the BM1880. (SDK 1.1; C99 and C++11)
 */
#ifndef LIBBMBLAS_BMBLAS_API_1880_H
#define LIBBMBLAS_BMBLAS_API_1880_H

#include <bmkernel/bm1880/bmkernel_1880.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the commands of C = A * B to ctx; the caller submits them.
 *
 * - A: int8, M x K. B: int8, K x N.
 * - C: 16 bit, M x N, as two planes of bytes: M*N low bytes, then M*N high bytes.
 * - All are row major in global memory at plain addresses.
 *
 * Sums are exact and saturate to 16 bits, without a shift. If K is so large that a column of B does
 * not fit local memory, K is split, and the sum of each part saturates. Uses the free local memory
 * of ctx. */
void bmblas_gemm(bmk1880_context_t* ctx, size_t M, size_t N, size_t K, u64 gaddr_a, u64 gaddr_b,
                 u64 gaddr_c);

#ifdef __cplusplus
}
#endif

#endif
