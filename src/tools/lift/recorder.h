// Recorder: what calls of a kernel's API would make, without carrying anything out.
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
  // The operation that `call` makes; none if it breaks a rule, or makes none or several.
  std::optional<Operation> record(const std::function<void()>& call);
  // The rule that the latest call broke.
  const std::optional<Error>& broken() const { return made_.broken; }
  // Whether two operations are one command. Where a chip's encoder knows them, equal bytes decide,
  // numbers and waits apart; otherwise equal text with every operand and attribute.
  bool same(const Operation& a, const Operation& b) const;

 private:
  explicit Recorder(std::unique_ptr<Device> device) : device_(std::move(device)) {}
  std::unique_ptr<Device> device_;
  okk::CallRecord made_;
};

}  // namespace tputwin::lift
