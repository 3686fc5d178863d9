/*
 * What went wrong, for programs that use the vendor APIs.
 *
 * A call that breaks a documented rule fails (NULL, an error code, or no effect) and leaves an
 * error here that names the call, the argument, its value, the rule and where the rule is written.
 * A rule that a document states but the chip's reference model does not enforce gives a warning:
 * it is counted and the program goes on. With the environment variable TPUTWIN_STRICT=1 warnings
 * are errors. Every thread has its own record.
 *
 * Errors, and each different warning once, are also lines on standard error: the environment
 * variable TPUTWIN_LOG chooses among quiet, errors, warnings (default) and json.
 */
#ifndef TPUTWIN_ERROR_H
#define TPUTWIN_ERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Full text of this thread's latest error; "" if there is none. Valid until this thread's next
 * call of a function of this header. */
const char* tputwin_last_error(void);
/* Its stable code, for example "TW-BMK-0102"; "" if there is none. */
const char* tputwin_last_error_code(void);
/* Errors and warnings this thread caused since it started or cleared them. */
uint64_t tputwin_error_count(void);
uint64_t tputwin_warning_count(void);
/* The index-th different warning (by rule and call): its text, or NULL past the last. `count`, if
 * not NULL, receives how often it occurred. Valid as for tputwin_last_error. */
const char* tputwin_warning(size_t index, uint64_t* count);
/* Forgets everything recorded for this thread. */
void tputwin_clear_errors(void);

#ifdef __cplusplus
}
#endif

#endif
