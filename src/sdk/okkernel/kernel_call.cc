#include "sdk/okkernel/kernel_call.h"

#include "base/last_error.h"

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

bool KernelCall::broken(ErrorId rule, std::string_view argument, std::string value) {
  if (!ok_) return false;
  ok_ = session_->report(Error(rule).argument(argument, std::move(value)), name_);
  return ok_;
}

}  // namespace tputwin::okk
