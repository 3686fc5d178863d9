// Dispatch to the alternative that an Operation holds.
#include "ops/operation.h"

#include <type_traits>

#include "base/errors/memory.h"
#include "numerics/float_mode.h"
#include "ops/fast/fast.h"
#include "ops/fast/select/bodies.h"

namespace tputwin {
namespace {

template <class T>
constexpr bool is_dma = std::is_same_v<T, DmaTensor> || std::is_same_v<T, DmaMatrix> ||
                        std::is_same_v<T, DmaLrnShift> || std::is_same_v<T, DmaWinogradKernel> ||
                        std::is_same_v<T, CopyMatrix>;

// Operations whose arithmetic is fp32: they run in the chip's number environment.
template <class T>
constexpr bool is_f32 =
    std::is_same_v<T, Conv2dBm1684> || std::is_same_v<T, Depthwise2dBm1684> ||
    std::is_same_v<T, Pool2dBm1684> || std::is_same_v<T, MatmulBm1684> ||
    std::is_same_v<T, FloatArithmetic> || std::is_same_v<T, UnaryF32> ||
    std::is_same_v<T, ChannelAffine> || std::is_same_v<T, Int8ToF32> || std::is_same_v<T, Select> ||
    std::is_same_v<T, FloatFunction> || std::is_same_v<T, Unary> || std::is_same_v<T, Convert> ||
    std::is_same_v<T, Requantise> || std::is_same_v<T, Sort> ||
    std::is_same_v<T, Conv2dBm1684xFloat> || std::is_same_v<T, Depthwise2dBm1684xFloat> ||
    std::is_same_v<T, Pool2dBm1684xFloat> || std::is_same_v<T, MatmulBm1684xFp32> ||
    std::is_same_v<T, MatmulBm1684xHalf>;

struct NoMode {
  NoMode() {}  // not trivial: an unused variable is meant
};

// A result with more elements than memory has bytes overlaps itself; running it would take ages.
Status check_volume(const Operand& operand, const Chip& chip, uint64_t global_bytes) {
  const TensorView& view = *operand.view;
  uint64_t room = view.space == Space::local    ? chip.local_bytes()
                  : view.space == Space::global ? global_bytes
                  : view.space == Space::l2     ? chip.l2.bytes
                                                : chip.dtcm.bytes;
  for (uint32_t extent : {view.shape.n, view.shape.c, view.shape.h, view.shape.w})
    if (extent > 0) room /= extent;
  if (room > 0) [[likely]]
    return {};
  return Error(errors::mem_result_volume).argument(operand.name, describe(view));
}

// Calls f with the alternative held; a CpuCall, which has no contract here, yields `otherwise`.
template <class R, class F>
R dispatch(const Operation& operation, R otherwise, F&& f) {
  return std::visit(
      [&](const auto& op) -> R {
        if constexpr (std::is_same_v<std::decay_t<decltype(op)>, CpuCall>)
          return std::move(otherwise);
        else
          return f(op);
      },
      operation);
}

// Calls f with the alternative held, in the number environment it computes in.
template <class F>
bool in_its_mode(const Operation& operation, F&& f) {
  return dispatch<bool>(operation, false, [&](const auto& op) {
    std::conditional_t<is_f32<std::decay_t<decltype(op)>>, ScopedFloatMode, NoMode> mode;
    return f(op);
  });
}

}  // namespace

Operation::Operation() = default;
Operation::Operation(const Operation&) = default;
Operation::Operation(Operation&&) noexcept = default;
Operation& Operation::operator=(const Operation&) = default;
Operation& Operation::operator=(Operation&&) noexcept = default;
Operation::~Operation() = default;

std::string_view name(const Operation& operation) {
  return dispatch<std::string_view>(operation, "cpu_op", [](const auto& op) { return name(op); });
}

Engine engine(const Operation& operation) {
  return dispatch(operation, Engine::cpu, [](const auto& op) {
    using T = std::decay_t<decltype(op)>;
    if constexpr (requires { op.engine; }) return op.engine;
    return is_dma<T> ? Engine::dma : Engine::compute;
  });
}

OperandList operands(const Operation& operation) {
  return dispatch<OperandList>(operation, {}, [](const auto& op) { return operands(op); });
}

Status check(const Operation& operation, const Chip& chip) {
  return dispatch<Status>(operation, {}, [&](const auto& op) { return check(op, chip); });
}

Footprint footprint(const Operation& operation, const Chip& chip) {
  return dispatch<Footprint>(operation, {}, [&](const auto& op) { return footprint(op, chip); });
}

Cost cost(const Operation& operation, const Chip& chip) {
  return dispatch<Cost>(operation, {}, [&](const auto& op) { return cost(op, chip); });
}

Status check_bounds(const Operation& operation, const Chip& chip, uint64_t global_bytes) {
  for (const Operand& operand : operands(operation)) {
    if (operand.access != Access::read)
      TW_RETURN_IF_ERROR(check_volume(operand, chip, global_bytes));
    if (operand.access == Access::read_write) {
      TW_RETURN_IF_ERROR(check_bounds(old_value(*operand.view), operand.name, chip, global_bytes));
    } else {
      TW_RETURN_IF_ERROR(check_bounds(*operand.view, operand.name, chip, global_bytes));
    }
  }
  return {};
}

void execute(const Operation& operation, const Memory& memory, Body body) {
  in_its_mode(operation, [&](const auto& op) {
    if (body != Body::automatic || fast::is_switched_off(operation.index()) ||
        !fast::execute(op, memory))
      execute(op, memory);
    else
      fast::spoil_result(operation, memory);
    return true;
  });
}

bool execute_fast(const Operation& operation, const Memory& memory) {
  if (!in_its_mode(operation, [&](const auto& op) { return fast::execute(op, memory); }))
    return false;
  fast::spoil_result(operation, memory);
  return true;
}

}  // namespace tputwin
