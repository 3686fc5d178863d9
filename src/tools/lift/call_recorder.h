// Recorder: returns the operations that calls of a kernel's API make, without executing them.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/error.h"
#include "ops/operation.h"
#include "sdk/okkernel/session.h"

namespace tputwin::lift {

class Recorder {
 public:
  static Result<std::unique_ptr<Recorder>> create(const Chip& chip);

  const Chip& chip() const { return device_->chip(); }
  // Returns the operation that `call` makes; none if it breaks a rule, or makes no operation or
  // several.
  std::optional<Operation> record(const std::function<void()>& call);
  // Returns the rule that the latest call broke.
  const std::optional<Error>& broken() const { return made_.broken; }
  // Returns true if two operations are one command. If the chip's encoder knows them, the bytes
  // must be equal, except numbers and waits. Otherwise their texts with every operand and attribute
  // must be equal.
  bool same(const Operation& a, const Operation& b) const;

 private:
  explicit Recorder(std::unique_ptr<Device> device) : device_(std::move(device)) {}
  std::unique_ptr<Device> device_;
  okk::CallRecord made_;
};

}  // namespace tputwin::lift
