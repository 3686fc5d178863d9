// The frame of every BMKernel call. Rules are checked one after the other; the first broken rule
// makes the call fail. Otherwise the operation is encoded and appended. The frame checks the rules
// that only the caller's structures show; check() of the operation checks shapes, extents, layouts
// and signs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "base/errors/bmkernel.h"
#include "ops/operation.h"
#include "sdk/bmkernel/context.h"
#include "sdk/bmkernel/operand.h"

namespace tputwin::bmkernel {

class Call {
 public:
  // `name` must outlive the call (__func__).
  Call(Context& context, std::string_view name) : context_(context), name_(name) {}

  const Chip& chip() const { return context_.chip(); }

  // Checks one rule. Returns true if the call may go on: the rule holds, or breaking it is only a
  // warning.
  template <class Value>
  bool require(bool holds, ErrorId rule, std::string_view argument, const Value& value) {
    return holds || broken(rule, argument, text(value));
  }
  // As require() for a rule that other code has checked.
  bool require(Status status);

  // Rules that many calls share.
  bool present(const Arg& arg);    // not NULL
  bool usable(const Arg& arg);     // an 8-bit tensor or matrix that starts inside local memory
  bool is_tensor(const Arg& arg);  // usable, and not a matrix
  bool is_matrix(const Arg& arg);  // usable, and a matrix
  bool unaligned(const Arg& arg);  // default unaligned strides
  bool rshift(int width);

  // Checks the operation itself.
  bool accept(const Operation& op);
  // Appends a command to the buffer; nullptr if that is full.
  bmk1880_op_t* append(const isa::Descriptor& descriptor, uint8_t flags = 0);
  // The usual way: accept, encode, append.
  bmk1880_op_t* emit(const Operation& op, uint8_t flags = 0) {
    return accept(op) ? append(isa::encode(op, chip()), flags) : nullptr;
  }

 private:
  bool broken(ErrorId rule, std::string_view argument, std::string value);

  static std::string text(const tensor_lmem* t) { return t ? describe(*t) : "NULL"; }
  static std::string text(const shape_t& s) { return describe(s); }
  static std::string text(std::string_view s) { return std::string(s); }
  template <class T>
  requires std::is_arithmetic_v<T>
  static std::string text(T value) { return fmt::format("{}", value); }

  Context& context_;
  std::string_view name_;
};

// Returns the chip with a version number; nullptr if this API has none.
const Chip* chip_of_version(uint32_t version);

// Returns false if a call cannot start.
bool has_context(const Context* context, std::string_view call);
// Checks an argument of a call without a context.
bool has_argument(const void* argument, std::string_view call, std::string_view name);

// Calls build(call, *p), which returns an operation, or nothing if a rule is broken.
template <class Param, class Build>
bmk1880_op_t* issue(bmk1880_context_t* ctx, std::string_view name, const Param* p, Build build) {
  if (!has_context(ctx, name)) return nullptr;
  Call call(*ctx, name);
  if (!call.require(p != nullptr, errors::bmk_null_argument, "p", "NULL")) return nullptr;
  std::optional<Operation> op = build(call, *p);
  return op ? call.emit(*op) : nullptr;
}

}  // namespace tputwin::bmkernel
