/*
 * Errors and warnings, for programs that use the vendor APIs.
 *
 * A call that breaks a documented rule fails (NULL, an error code, or no effect). The error
 * recorded here names the call, the argument, its value, the rule and its source. A rule that a
 * document states but the chip's reference model does not enforce gives a warning: it is counted,
 * and the program goes on. With the environment variable TPUTWIN_STRICT=1 warnings are errors.
 * Every thread has its own record.
 *
 * Errors, and each different warning once, are also printed on standard error. The environment
 * variable TPUTWIN_LOG selects quiet, errors, warnings (default) or json.
 */
#ifndef TPUTWIN_ERROR_H
#define TPUTWIN_ERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the full text of this thread's latest error, "" if there is none. Valid until this
 * thread's next call of a function of this header. */
const char* tputwin_last_error(void);
/* Returns the stable code of that error, for example "TW-BMK-0102", "" if there is none. */
const char* tputwin_last_error_code(void);
/* Return how many errors and warnings this thread caused since it started or cleared them. */
uint64_t tputwin_error_count(void);
uint64_t tputwin_warning_count(void);
/* Returns the text of the index-th different warning (by rule and call), NULL past the last.
 * `count`, if not NULL, receives how often it occurred. Valid as for tputwin_last_error. */
const char* tputwin_warning(size_t index, uint64_t* count);
/* Clears the record of this thread. */
void tputwin_clear_errors(void);

#ifdef __cplusplus
}
#endif

#endif
