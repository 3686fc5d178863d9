// Session: the run of one kernel on one chip, which the okk_* calls of its thread work on.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/errors/okkernel.h"
#include "base/errors/tpukernel.h"
#include "machine/device.h"
#include "sdk/record/launch.h"

namespace tputwin::okk {

// Where the reference model departs from the documents; see docs/discrepancies.md. Switched on by
// name in the environment variable TPUTWIN_QUIRKS ("shift32,mac_sign", or "all").
struct Quirks {
  bool shift32 = false;   // a 32-bit shift by exactly +-32 leaves the value unchanged
  bool mac_sign = false;  // packed mac reads the old value as int16 whatever is_origin_dst_signed
  bool kernel_flush = false;  // float arithmetic of the kernel's own code flushes subnormals
  // The BM1684X's model does not look at the shift of int_min_C, int_max_C and of int_mm of 8 and
  // 16 bits, at is_param_repeated, and at VECTOR of src2 and src3 of selects, which it takes for
  // TENSOR.
  bool ignored = false;
  static const Quirks& of_process();
};

// A kernel: args points at the bytes the host passed.
using KernelFunction = void (*)(const void* args);

// How an API calls the rules that all kernels keep.
struct ApiRules {
  ErrorId no_kernel, null, stride, uninitialized, parallel_open, assertion, exception, pointer,
      pointer_unpolled, pointer_left, undefined;
};
inline constexpr ApiRules kOkkRules{
    errors::okk_no_kernel,     errors::okk_null,          errors::okk_stride,
    errors::okk_uninitialized, errors::okk_parallel_open, errors::okk_assert,
    errors::okk_exception,     errors::okk_pointer,       errors::okk_pointer_unpolled,
    errors::okk_pointer_left,  errors::okk_undefined};
inline constexpr ApiRules kTpuRules{
    errors::tpu_no_kernel,     errors::tpu_null,          errors::tpu_stride,
    errors::tpu_uninitialized, errors::tpu_parallel_open, errors::tpu_assert,
    errors::tpu_exception,     errors::tpu_pointer,       errors::tpu_pointer_unpolled,
    errors::tpu_pointer_left,  errors::tpu_undefined};
// Those of the API of the chip's family.
const ApiRules& rules_of(const Chip& chip);

// What calls make, where nothing is to be carried out: a session that is given one hands it every
// operation, and the first rule that a call breaks.
struct CallRecord {
  std::vector<Operation> operations;
  std::optional<Error> broken;
};

// After its first error a kernel makes at most so many further calls, which do nothing. One that
// makes more waits in a loop of its own for progress that never comes, and is ended.
inline constexpr uint32_t kCallsAfterError = 100'000;

class Session {
 public:
  explicit Session(Device& device, const Quirks& quirks = Quirks::of_process())
      : device_(device), quirks_(quirks) {}
  Session(Device& device, CallRecord& record, const Quirks& quirks)
      : device_(device), quirks_(quirks), record_(&record) {}
  const ApiRules& rules() const { return rules_of(chip()); }

  Device& device() { return device_; }
  const Chip& chip() const { return device_.chip(); }
  const Quirks& quirks() const { return quirks_; }
  bool parallel() const { return parallel_; }

  // A call of the kernel begins and ends. It does not begin in a kernel that is to be ended.
  void begin_call();
  void copy_call() { ++frames_; }
  void end_call() { --frames_; }
  // Whether the kernel's own code runs, and nothing of ours.
  bool in_own_code() const { return frames_ == 0; }

  // Gives the operation its number and what it waits for: in serial mode everything before it, in
  // parallel mode what was issued before the section and its own engine.
  // `wrong_strides`: see CallSite.
  void issue(const Operation& op, std::string_view call, std::string_view wrong_strides = {});
  // A rule of `call` that is broken. True if the call may go on: a warning.
  bool report(Error error, std::string_view call);

  // A session asks for okk_initialize before the first operation after this call.
  void expect_initialize() { initialized_ = false; }
  void initialize() { initialized_ = true; }
  void start_parallel();
  void end_parallel();
  // Finishes all operations.
  void poll();
  // In a parallel section: what `waiting` starts from now on waits for all that the other engine
  // was given so far.
  void wait_for_other(Engine waiting);
  // Messages between engines: `waits` waits consume a send; a wait needs `sends` sends before it
  // and returns false without them.
  void send_message(int id, int waits);
  bool take_message(int id, int sends);
  // What is issued from now on is recorded, and that the kernel takes pointers. nullptr: not.
  void set_recording(record::Launch* recording) { recording_ = recording; }
  record::Launch* recording() { return recording_; }
  // Operations issued since the last poll().
  bool unpolled() const { return unpolled_; }

 private:
  // The command that the call makes, or would make.
  CallSite site(std::string_view call, std::string_view wrong_strides = {}) const {
    return {call, issued_compute_ + issued_dma_ + 1, wrong_strides};
  }

  Device& device_;
  Quirks quirks_;
  CallRecord* record_ = nullptr;
  bool parallel_ = false, initialized_ = true, unpolled_ = false;
  uint32_t calls_after_error_ = 0;
  uint32_t frames_ = 0;                             // of calls that have begun
  uint32_t issued_compute_ = 0, issued_dma_ = 0;    // newest numbers
  uint32_t barrier_compute_ = 0, barrier_dma_ = 0;  // at the start of the section
  struct Message {
    int sent = 0, waits_left = 0;
  };
  std::map<int, Message> messages_;
  record::Launch* recording_ = nullptr;
};

// The session of the calling thread; nullptr outside kernels.
Session* current_session();
// The chip that the calling thread's kernel runs on; outside kernels that of the process.
const Chip& chip_in_use(ChipFamily of_api);

// Makes a session the calling thread's for as long as it lives.
class ScopedSession {
 public:
  explicit ScopedSession(Session& session);
  ~ScopedSession();
  ScopedSession(const ScopedSession&) = delete;
  ScopedSession& operator=(const ScopedSession&) = delete;

 private:
  Session* before_;
};

}  // namespace tputwin::okk
