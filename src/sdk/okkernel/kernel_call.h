// The frame of every call that a kernel makes, for all APIs. Rules are checked one after the other;
// the first broken rule makes the call fail, and its error sticks to the launch.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "memory/normal_stride.h"
#include "ops/operation.h"
#include "sdk/okkernel/session.h"

namespace tputwin::okk {

// An address, formatted as in messages.
struct Hex {
  uint64_t value;
};

class KernelCall {
 public:
  // `name` must outlive the call (__func__). Outside a kernel the call fails.
  KernelCall(std::string_view name, const ApiRules& rules);
  ~KernelCall() {
    if (session_ != nullptr) session_->end_call();
  }
  KernelCall(const KernelCall& other)
      : name_(other.name_), rules_(other.rules_), session_(other.session_), ok_(other.ok_) {
    if (session_ != nullptr) session_->copy_call();
  }
  KernelCall& operator=(const KernelCall&) = delete;

  bool ok() const { return ok_; }
  bool in_kernel() const { return session_ != nullptr; }
  Session& session() const { return *session_; }  // only in a kernel
  std::string_view name() const { return name_; }

  // Checks one rule. Returns true if the call may go on: the rule holds, or breaking it is only a
  // warning.
  template <class T>
  bool require(bool holds, ErrorId rule, std::string_view argument, const T& value) {
    return holds || broken(rule, argument, text(value));
  }
  bool present(const void* pointer, std::string_view argument) {
    return require(pointer != nullptr, rules_.null, argument, "NULL");
  }
  bool in_range(int64_t value, int64_t low, int64_t high, ErrorId rule, std::string_view argument) {
    return require(low <= value && value <= high, rule, argument, value);
  }

  // Issues an operation to the chip if no rule was broken so far.
  void issue(const Operation& op) {
    if (ok_) session_->issue(op, name_, wrong_strides_);
  }

 protected:
  // Converts strides of the program to bytes; `shape` counts cells of that many bytes.
  template <class Dim4>
  Stride strides(std::string_view argument, const Dim4& stride, const Shape& shape,
                 uint64_t channel_rounds, uint32_t bytes);
  // Must be called for every operand with strides of the program. If these exceed its memory, the
  // message names them instead of the address.
  void note_strides(std::string_view argument, const TensorView& view);

 private:
  bool broken(ErrorId rule, std::string_view argument, std::string value);

  static std::string text(std::string_view s) { return std::string(s); }
  template <class Dim4>
  requires requires(Dim4 d) { d.n, d.c, d.h, d.w; }
  static std::string text(const Dim4& d) {
    return fmt::format("({},{},{},{})", d.n, d.c, d.h, d.w);
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  static std::string text(T value) { return fmt::format("{}", value); }
  static std::string text(Hex hex) { return fmt::format("{:#x}", hex.value); }

  std::string_view name_;
  const ApiRules& rules_;
  Session* session_;
  bool ok_ = true;
  std::string_view wrong_strides_;
};

template <class Dim4>
Shape to_shape(const Dim4& d) {
  return {static_cast<uint32_t>(d.n), static_cast<uint32_t>(d.c), static_cast<uint32_t>(d.h),
          static_cast<uint32_t>(d.w)};
}

template <class Dim4>
Stride KernelCall::strides(std::string_view argument, const Dim4& stride, const Shape& shape,
                           uint64_t channel_rounds, uint32_t bytes) {
  Dim4 s = stride;
  drop_meaningless(s, shape, channel_rounds);
  auto valid = [&](int value) { return value >= 0 && uint64_t{bytes} * value <= UINT32_MAX; };
  if (!require(valid(s.n) && valid(s.c) && valid(s.h) && valid(s.w), rules_.stride,
               stride_argument(argument), stride))
    return {};
  return {s.n * bytes, s.c * bytes, s.h * bytes, s.w * bytes};
}

// 16-bit elements are stored low byte first.
constexpr uint32_t plane_stride_of(DType dtype) { return is_16bit(dtype) ? 1 : 0; }

}  // namespace tputwin::okk
