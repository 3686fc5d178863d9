/* A library of faulty operators: 10001 never ends, 10002 stores at NULL. */
#include <stddef.h>
#include <tputwin/host_operator.h>
#include <unistd.h>

static int* volatile nowhere = NULL;

int32_t tputwin_host_operators_version(void) { return TPUTWIN_HOST_OPERATORS_VERSION; }

const char* tputwin_host_operator_name(int32_t op_type) {
  if (op_type == 10001) return "never_ends";
  return op_type == 10002 ? "stores_at_null" : NULL;
}

int32_t tputwin_host_operator_run(tputwin_host_call_t* call) {
  while (call->op_type == 10001) pause();
  *nowhere = 1;
  return 0;
}
