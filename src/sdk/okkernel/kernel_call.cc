// KernelCall: the first broken rule ends a kernel's call.
#include "sdk/okkernel/kernel_call.h"

#include <utility>

#include "base/errors/bmlib.h"
#include "base/last_error.h"
#include "memory/layout.h"

namespace tputwin::okk {
namespace {

// Returns the error of a call in a kernel on a device of another family.
Error wrong_chip(const Chip& chip, const ApiRules& rules) {
  const bool is_tpu = &rules == &kTpuRules;
  return Error(errors::bml_chip_api)
      .argument("device", std::string(chip.name))
      .detail(
          is_tpu ? "tpu_ functions are those of the BM1684X: set TPUTWIN_CHIP=BM1684X, or link the "
                   "program with -Wl,--no-as-needed -ltpukernel, since --as-needed leaves out a "
                   "library that it does not call"
                 : "okk_ functions are those of the BM1684: set TPUTWIN_CHIP=BM1684");
}

}  // namespace

KernelCall::KernelCall(std::string_view name, const ApiRules& rules)
    : name_(name), rules_(rules), session_(current_session()) {
  if (session_ != nullptr && &session_->rules() == &rules) {
    session_->begin_call();
    return;
  }
  ok_ = false;
  Session* const other = std::exchange(session_, nullptr);
  if (other == nullptr) {
    static_cast<void>(report(Error(rules.no_kernel).in(name)));
    return;
  }
  other->begin_call();  // ends a kernel that loops in failing calls
  static_cast<void>(other->report(wrong_chip(other->chip(), rules), name));
  other->end_call();
}

void KernelCall::note_strides(std::string_view argument, const TensorView& view) {
  if (!ok_ || !wrong_strides_.empty()) return;
  const Chip& chip = session_->chip();
  const uint64_t global_bytes = session_->device().memories().global_bytes();
  if (check_bounds(view, argument, chip, global_bytes).ok()) [[likely]]
    return;
  TensorView dense = view;
  const Shape counted{cells(view), view.shape.c, view.shape.h, view.shape.w};
  dense.stride = view.space == Space::local
                     ? lane_stride(chip, counted, view.address / chip.lane_bytes, run_bytes(view),
                                   /*aligned=*/false)
                     : system_stride(counted, run_bytes(view));
  if (check_bounds(dense, argument, chip, global_bytes).ok()) wrong_strides_ = argument;
}

bool KernelCall::broken(ErrorId rule, std::string_view argument, std::string value) {
  if (!ok_) return false;
  ok_ = session_->report(Error(rule).argument(argument, std::move(value)), name_);
  return ok_;
}

}  // namespace tputwin::okk
