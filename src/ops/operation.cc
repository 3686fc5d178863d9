// Dispatch to the alternative that an Operation holds.
#include "ops/operation.h"

#include <fmt/format.h>

#include <type_traits>

#include "base/errors/memory.h"
#include "base/errors/ops.h"
#include "numerics/float_mode.h"
#include "ops/fast/dispatch/kernel_switches.h"
#include "ops/fast/fast.h"
#include "ops/read_order.h"
#include "ops/source_copies.h"

namespace tputwin {
namespace {

// Columns of a row of operations.def.
enum class RowEngine : uint8_t { compute, dma, own };
enum class Numbers : uint8_t { plain, f32 };
enum class RowArithmetic : uint8_t {
  convolution = static_cast<uint8_t>(Arithmetic::convolution),
  window = static_cast<uint8_t>(Arithmetic::window),
  product = static_cast<uint8_t>(Arithmetic::product),
  elements = static_cast<uint8_t>(Arithmetic::elements),
  own
};
// Sets of families as bits: 1 << family.
enum class Chips : uint8_t { bm1880 = 1, bm1684 = 2, bm1684x = 4, bm1684_bm1684x = 6 };
struct Row {
  Chips chips;
  RowEngine engine;
  Numbers numbers;
  RowArithmetic arithmetic;
};

template <class Op>
constexpr Row kRow = Op::has_no_row_in_operations_def;
#define TW_ROW(Type, name, header, chips, engine, numbers, arithmetic)        \
  template <>                                                                 \
  constexpr Row kRow<Type>{Chips::chips, RowEngine::engine, Numbers::numbers, \
                           RowArithmetic::arithmetic};
#include "ops/operations.def"
#undef TW_ROW

template <class Op>
bool is_type_of(ChipFamily family) {
  return (static_cast<unsigned>(kRow<Op>.chips) >> static_cast<unsigned>(family) & 1) != 0;
}

struct NoMode {
  // Not trivial, so that an unused variable of this type causes no warning.
  NoMode() {}
};

// Rejects a result with more elements than memory has bytes. It overlaps itself, and its execution
// would take too long.
Status check_volume(const Operand& operand, const Chip& chip, uint64_t global_bytes) {
  const TensorView& view = *operand.view;
  uint64_t limit = view.space == Space::local    ? chip.local_bytes()
                   : view.space == Space::global ? global_bytes
                   : view.space == Space::l2     ? chip.l2.bytes
                                                 : chip.dtcm.bytes;
  for (uint32_t extent : {view.shape.n, view.shape.c, view.shape.h, view.shape.w})
    if (extent > 0) limit /= extent;
  if (limit > 0) [[likely]]
    return {};
  return Error(errors::mem_result_volume).argument(operand.name, describe(view));
}

// Calls f with the alternative held. Returns `otherwise` for a CpuCall, which has no contract here.
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

// Calls f with the alternative held, in the float mode of its row.
template <class F>
bool in_its_mode(const Operation& operation, F&& f) {
  return dispatch<bool>(operation, false, [&](const auto& op) {
    constexpr bool kIsF32 = kRow<std::decay_t<decltype(op)>>.numbers == Numbers::f32;
    std::conditional_t<kIsF32, ScopedFloatMode, NoMode> mode;
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
    constexpr RowEngine kEngine = kRow<std::decay_t<decltype(op)>>.engine;
    if constexpr (kEngine == RowEngine::own)
      return op.engine;
    else
      return kEngine == RowEngine::dma ? Engine::dma : Engine::compute;
  });
}

bool is_of(ChipFamily family, const Operation& operation) {
  return dispatch(operation, false,
                  [&](const auto& op) { return is_type_of<std::decay_t<decltype(op)>>(family); });
}

Arithmetic arithmetic(const Operation& operation) {
  return dispatch(operation, Arithmetic::elements, [](const auto& op) {
    constexpr RowArithmetic kArithmetic = kRow<std::decay_t<decltype(op)>>.arithmetic;
    if constexpr (kArithmetic == RowArithmetic::own)
      return arithmetic(*op.operation);
    else
      return static_cast<Arithmetic>(kArithmetic);
  });
}

void attributes(const Operation& operation, AttributeSink& to) {
  std::visit([&](const auto& op) { attributes(op, to); }, operation);
}

namespace {

// Appends attributes as text: " relu rshift 3".
class Words final : public AttributeSink {
 public:
  explicit Words(std::string& text) : text_(text) {}

 private:
  void take(std::string_view name, const AttributeValue& value) override {
    text_ += fmt::format(" {}", name);
    if (std::holds_alternative<bool>(value)) return;
    std::visit([&](const auto& v) { text_ += fmt::format(" {}", v); }, value);
  }
  std::string& text_;
};

}  // namespace

std::string describe(const Operation& operation) {
  std::string text(name(operation));
  for (const Operand& operand : operands(operation))
    text += fmt::format(" {}={}", operand.name, describe(*operand.view));
  Words words(text);
  attributes(operation, words);
  return text;
}

OperandList operands(const Operation& operation) {
  return dispatch<OperandList>(operation, {}, [](const auto& op) { return operands(op); });
}

namespace {

Status check_alone(const Operation& operation, const Chip& chip) {
  return dispatch<Status>(operation, {}, [&](const auto& op) -> Status {
    if (!is_type_of<std::decay_t<decltype(op)>>(chip.family)) [[unlikely]]
      return Error(errors::ops_chip).argument(name(op), std::string(chip.name));
    return check(op, chip);
  });
}

}  // namespace

Status check(const Operation& operation, const Chip& chip) {
  const auto is_error = [](const Status& status) {
    return !status.ok() && status.error().info().level == Level::error;
  };
  Status alone = check_alone(operation, chip);
  if (is_error(alone)) return alone;
  // Errors have priority over warnings.
  Status shared = check_overlap(operation, chip);
  if (alone.ok() || is_error(shared)) return shared;
  return alone;
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

namespace {

void run_chosen_kernel(const Operation& operation, const Memory& memory,
                       KernelChoice kernel_choice) {
  in_its_mode(operation, [&](const auto& op) {
    if (kernel_choice != KernelChoice::automatic || fast::is_switched_off(operation.index()) ||
        !fast::execute(op, memory))
      execute(op, memory);
    else
      fast::spoil_result(operation, memory);
    return true;
  });
}

bool run_fast(const Operation& operation, const Memory& memory) {
  if (!in_its_mode(operation, [&](const auto& op) { return fast::execute(op, memory); }))
    return false;
  fast::spoil_result(operation, memory);
  return true;
}

}  // namespace

void execute(const Operation& operation, const Memory& memory, KernelChoice kernel_choice) {
  if (!needs_copies(operation, memory.local)) [[likely]]
    return run_chosen_kernel(operation, memory, kernel_choice);
  const SourceCopies copies(operation, memory);
  run_chosen_kernel(copies.operation(), copies.memory(), kernel_choice);
  copies.bring_back();
}

bool execute_fast(const Operation& operation, const Memory& memory) {
  if (!needs_copies(operation, memory.local)) [[likely]]
    return run_fast(operation, memory);
  const SourceCopies copies(operation, memory);
  if (!run_fast(copies.operation(), copies.memory())) return false;
  copies.bring_back();
  return true;
}

}  // namespace tputwin
