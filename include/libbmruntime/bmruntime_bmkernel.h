/*
 * BMKernel programs on a runtime context. (BMNNSDK API v1, "bmruntime_bmkernel_*"; C99 and C++11)
 *
 * A thread owns at most one kernel at a time; several threads may each own one. A second one in
 * the same thread works, but is a documented misuse and gives a warning.
 */
#ifndef LIBBMRUNTIME_BMRUNTIME_BMKERNEL_H
#define LIBBMRUNTIME_BMRUNTIME_BMKERNEL_H

#include <libbmruntime/bmruntime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* *p_bk_ctx becomes a bmk1880_context_t*. Its command buffer holds up to 1 GiB of commands. */
bmerr_t bmruntime_bmkernel_create(bmctx_t ctx, bmkernel_handle_t** p_bk_ctx);
/* Runs the commands of this thread's kernel and empties its buffer. Local memory and its
 * allocations persist. If a call since the last submit broke a contract, nothing runs. Errors:
 * <tputwin/error.h>. */
void bmruntime_bmkernel_submit(bmctx_t ctx);
void bmruntime_bmkernel_submit_pio(bmctx_t ctx);
void bmruntime_bmkernel_destroy(bmctx_t ctx);

#ifdef __cplusplus
}
#endif

#endif
