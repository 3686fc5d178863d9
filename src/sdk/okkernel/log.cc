// Implementation of OKKERNEL_LOG and OKKERNEL_ASSERT.
#include <okk.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "sdk/okkernel/run_kernel.h"

void okk_log(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
}

void okk_assert_logged(const char* file, int line, const char* function, const char* expression) {
  okk_log("%s:%d: %s: condition `%s' does not hold\n", file, line, function, expression);
}

void okk_assert_failed(const char* file, int line, const char* function, const char* expression) {
  tputwin::okk::leave_failed_kernel(file, line, expression);
  // As assert(), which the C library provides only to programs without NDEBUG.
  std::fprintf(stderr, "%s:%d: %s: Assertion `%s' failed.\n", file, line, function, expression);
  std::abort();
}
