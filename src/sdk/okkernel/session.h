// Session: the run of one kernel on one chip. The okk_* calls of its thread use it.
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

// Deviations of the reference model from the documents; see docs/discrepancies.md. The environment
// variable TPUTWIN_QUIRKS enables them by name ("shift32,mac_sign", or "all").
struct Quirks {
  // A 32-bit shift by exactly +-32 does not change the value.
  bool shift32 = false;
  // Packed mac reads the old value as int16 for both values of is_origin_dst_signed.
  bool mac_sign = false;
  // Float arithmetic of the kernel's own code flushes subnormals.
  bool kernel_flush = false;
  // The BM1684X's model ignores the shift of int_min_C, int_max_C and of int_mm of 8 and 16 bits.
  // It ignores is_param_repeated, and takes a VECTOR of src2 and src3 of selects for a TENSOR.
  bool ignored = false;
  static const Quirks& of_process();
};

// A kernel. args points at the bytes that the host passed.
using KernelFunction = void (*)(const void* args);

// The errors of an API for the rules that all kernels must keep.
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
// Returns those of the API of the chip's family.
const ApiRules& rules_of(const Chip& chip);

// Record of calls that are not executed. A session with a record adds every operation to it, and
// the first rule that a call breaks.
struct CallRecord {
  std::vector<Operation> operations;
  std::optional<Error> broken;
};

// Most calls that a kernel may make after its first error; they do nothing. A kernel that exceeds
// it waits in a loop for progress that never comes, and is ended.
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

  // Begin and end a call of the kernel. In a kernel that is to be ended, a call does not begin.
  void begin_call();
  void copy_call() { ++frames_; }
  void end_call() { --frames_; }
  // Returns true if the kernel's own code runs, and no function of this library.
  bool in_own_code() const { return frames_ == 0; }

  // Gives the operation its number and its waits. In serial mode it waits for all earlier
  // operations, in parallel mode for those before the section and those of its engine.
  // `wrong_strides`: see CallSite.
  void issue(const Operation& op, std::string_view call, std::string_view wrong_strides = {});
  // Reports a broken rule of `call`. Returns true if the call may go on: a warning.
  bool report(Error error, std::string_view call);

  // After this call, the first operation requires okk_initialize.
  void expect_initialize() { initialized_ = false; }
  void initialize() { initialized_ = true; }
  void start_parallel();
  void end_parallel();
  // Finishes all operations.
  void poll();
  // In a parallel section: later commands of `waiting` wait for all commands issued to the other
  // engine so far.
  void wait_for_other(Engine waiting);
  // Messages between engines. A send is consumed by `waits` waits. A wait needs `sends` sends
  // before it; without them it returns false.
  void send_message(int id, int waits);
  bool take_message(int id, int sends);
  // Records later operations, and that the kernel takes pointers. nullptr: none.
  void set_recording(record::Launch* recording) { recording_ = recording; }
  record::Launch* recording() { return recording_; }
  // Returns true if operations were issued since the last poll().
  bool unpolled() const { return unpolled_; }

 private:
  // Returns the site of the command that the call makes, or would make.
  CallSite site(std::string_view call, std::string_view wrong_strides = {}) const {
    return {call, issued_compute_ + issued_dma_ + 1, wrong_strides};
  }

  Device& device_;
  Quirks quirks_;
  CallRecord* record_ = nullptr;
  bool parallel_ = false, initialized_ = true, unpolled_ = false;
  uint32_t calls_after_error_ = 0;
  uint32_t frames_ = 0;                             // calls that have begun and not ended
  uint32_t issued_compute_ = 0, issued_dma_ = 0;    // newest numbers
  uint32_t barrier_compute_ = 0, barrier_dma_ = 0;  // at the start of the section
  struct Message {
    int sent = 0, waits_left = 0;
  };
  std::map<int, Message> messages_;
  record::Launch* recording_ = nullptr;
};

// Returns the session of the calling thread; nullptr outside kernels.
Session* current_session();
// Returns the chip of the calling thread's kernel; outside kernels the chip of the process.
const Chip& chip_in_use(ChipFamily of_api);

// Makes a session the calling thread's for the lifetime of the object.
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
