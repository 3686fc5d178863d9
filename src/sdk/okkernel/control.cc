// The run of a kernel: initialization, waiting, parallel sections.
#include "base/errors/okkernel.h"
#include "sdk/okkernel/call.h"
#include "sdk/okkernel/parallel.h"

using namespace tputwin;
using namespace tputwin::okk;

void okk_initialize(void) {
  if (Call call(__func__); call.ok()) call.session().initialize();
}

void okk_poll(void) {
  Call call(__func__);
  poll(call, errors::okk_poll_parallel);
}

void okk_parallel_start(void) {
  Call call(__func__);
  start_parallel(call, errors::okk_parallel_nested);
}

void okk_parallel_end(void) {
  Call call(__func__);
  end_parallel(call, errors::okk_parallel_end_outside);
}

bool okk_is_parallel_state(void) {
  Call call(__func__);
  return call.ok() && call.session().parallel();
}

// The engines' command counters are not visible, so there is nothing to set, save or check.
void okk_set_id_node(void*) {}
void okk_get_id_node(void*) {}
void okk_enable_check_id_node(void) {}
void okk_disable_check_id_node(void) {}
