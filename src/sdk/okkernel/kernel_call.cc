// KernelCall: the first broken rule ends a kernel's call.
#include "sdk/okkernel/kernel_call.h"

#include "base/last_error.h"
#include "memory/layout.h"

namespace tputwin::okk {

KernelCall::KernelCall(std::string_view name, const ApiRules& rules)
    : name_(name), rules_(rules), session_(current_session()) {
  if (session_ != nullptr && &session_->rules() == &rules) {
    session_->begin_call();
    return;
  }
  session_ = nullptr;
  ok_ = false;
  static_cast<void>(report(Error(rules.no_kernel).in(name)));
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
