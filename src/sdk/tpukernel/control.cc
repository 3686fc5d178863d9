// The run of a kernel: initialization, waiting, parallel sections, messages between engines, cores.
#include "base/errors/tpukernel.h"
#include "sdk/okkernel/parallel.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

constexpr int kMaxMessageId = 511, kMaxMessageCount = 127;

void poll(Call& call) { okk::poll(call, errors::tpu_poll_parallel); }

// Engines work in the order of the calls, so that a send has happened when its wait is called.
void send(Call& call, int id, int count) {
  call.in_range(id, 0, kMaxMessageId, errors::tpu_message_id, "msg_id");
  call.in_range(count, 1, kMaxMessageCount, errors::tpu_message_id, "wait_cnt");
  if (call.ok()) call.session().send_message(id, count);
}

void wait(Call& call, int id, int count, Engine engine) {
  call.in_range(id, 0, kMaxMessageId, errors::tpu_message_id, "msg_id");
  call.in_range(count, 1, kMaxMessageCount, errors::tpu_message_id, "send_cnt");
  if (call.ok() &&
      call.require(call.session().take_message(id, count), errors::tpu_message_lost, "msg_id", id))
    call.session().wait_for_other(engine);
}

void set_base(Call& call, int id) {
  call.in_range(id, 0, kMaxMessageId, errors::tpu_message_id, "base_msg_id");
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

void tpu_initialize(void) {
  if (Call call(__func__); call.ok()) call.session().initialize();
}

void tpu_poll(void) {
  Call call(__func__);
  poll(call);
}

void tpu_poll_descriptor(void) {
  Call call(__func__);
  poll(call);
}

// The sorter also works in the order of the calls.
void tpu_hau_poll(void) {
  Call call(__func__);
  if (call.ok()) call.session().poll();
}

void tpu_sync_all(void) {
  Call call(__func__);
  poll(call);
}

void tpu_sync_core(int) { Call call(__func__); }

void tpu_parallel_start(void) {
  Call call(__func__);
  okk::start_parallel(call, errors::tpu_parallel_nested);
}

void tpu_parallel_end(void) {
  Call call(__func__);
  okk::end_parallel(call, errors::tpu_parallel_end_outside);
}

bool tpu_is_parallel_state(void) {
  Call call(__func__);
  return call.ok() && call.session().parallel();
}

#define TPU_MESSAGES(prefix, engine)                       \
  void tpu_##prefix##_send_msg(int msg_id, int wait_cnt) { \
    Call call(__func__);                                   \
    send(call, msg_id, wait_cnt);                          \
  }                                                        \
  void tpu_##prefix##_wait_msg(int msg_id, int send_cnt) { \
    Call call(__func__);                                   \
    wait(call, msg_id, send_cnt, engine);                  \
  }                                                        \
  void tpu_##prefix##_set_base_msg_id(int base_msg_id) {   \
    Call call(__func__);                                   \
    set_base(call, base_msg_id);                           \
  }

TPU_MESSAGES(bdc, Engine::compute)
TPU_MESSAGES(gdma, Engine::dma)
TPU_MESSAGES(hau, Engine::dma)
TPU_MESSAGES(sdma, Engine::dma)

// The engines' command counters are not visible, so there is nothing to set, save or check.
void tpu_set_id_node(void*) {}
void tpu_get_id_node(void*) {}
void tpu_set_parallel_id_node(void*, void*) {}
void tpu_get_parallel_id_node(void*, void*) {}
void tpu_enable_check_id_node(void) {}
void tpu_disable_check_id_node(void) {}
