// Recorder: makes calls in a session that records operations instead of executing them.
#include "tools/lift/call_recorder.h"

#include "base/bits.h"
#include "isa/streams/encode.h"
#include "memory/normal_stride.h"

namespace tputwin::lift {
namespace {

// Sets strides of axes of extent 1 to 0, because their values have no effect.
Operation normal(Operation op, const Chip& chip) {
  for (const Operand& operand : operands(op)) {
    auto& view = const_cast<TensorView&>(*operand.view);  // part of our copy
    const uint64_t start = view.space == Space::local ? view.address / chip.lane_bytes : 0;
    const uint64_t rounds = view.space == Space::local
                                ? ceil_div(start + view.shape.c, uint64_t{chip.lanes})
                                : view.shape.c;
    const Shape cell{cells(view), view.shape.c, view.shape.h, view.shape.w};
    drop_meaningless(view.stride, cell, rounds);
  }
  return op;
}

std::optional<std::vector<uint8_t>> bytes_of(const Operation& op, const Chip& chip) {
  auto bytes = isa::encode_command({.op = op, .engine = engine(op)}, chip);
  if (!bytes.ok()) return std::nullopt;
  return std::move(*bytes);
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::create(const Chip& chip) {
  TW_ASSIGN_OR_RETURN(device, Device::create({.chip = &chip}));
  return std::unique_ptr<Recorder>(new Recorder(std::move(device)));
}

std::optional<Operation> Recorder::record(const std::function<void()>& call) {
  made_ = {};
  okk::Session session(*device_, made_, okk::Quirks{});
  const okk::ScopedSession scope(session);
  call();
  if (made_.broken || made_.operations.size() != 1) return std::nullopt;
  return std::move(made_.operations.front());
}

bool Recorder::same(const Operation& a, const Operation& b) const {
  if (name(a) != name(b) || engine(a) != engine(b)) return false;
  const Operation x = normal(a, chip()), y = normal(b, chip());
  const auto bytes = bytes_of(x, chip()), others = bytes_of(y, chip());
  return bytes && others ? *bytes == *others : describe(x) == describe(y);
}

}  // namespace tputwin::lift
