#include "ops/float_arithmetic.h"

#include "ops/elements.h"
#include "ops/okk_checks.h"
#include "ops/timing.h"

namespace tputwin {
namespace {

using Kind = FloatArithmetic::Kind;

float result(Kind kind, float a, float b, float old) {
  switch (kind) {
    case Kind::add:
      return f32::add(a, b);
    case Kind::sub:
      return f32::sub(a, b);
    case Kind::mul:
      return f32::mul(a, b);
    case Kind::div:
      return f32::div(a, b);
    case Kind::mac:
      return f32::mac(a, b, old);
    case Kind::max:
      return f32::max(a, b);
    case Kind::min:
      return f32::min(a, b);
  }
  return 0;
}

// Passes over the elements: division is three Newton steps of the inverse square root.
uint64_t passes(Kind kind) { return kind == Kind::div ? 20 : kind == Kind::mac ? 2 : 1; }

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::string_view kNames[] = {"add", "sub", "mul", "div", "mac", "max", "min"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(const FloatArithmetic& op) { return to_string(op.kind); }

OperandList operands(const FloatArithmetic& op) {
  OperandList list{
      {"dst_addr", &op.out, op.kind == Kind::mac ? Access::read_write : Access::write}};
  add_sources(list, op.a, op.b);
  return list;
}

Status check(const FloatArithmetic& op, const Chip& chip) {
  TW_RETURN_IF_ERROR(check_bdc_32bit(operands(op), op.out.shape));
  return advise_same_npu(operands(op), chip);
}

Cost cost(const FloatArithmetic& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, 4) * passes(op.kind),
                      op.out.shape.count() * passes(op.kind), operands(op), chip);
}

void execute(const FloatArithmetic& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const float a = op.a.read_f32(memory, n, c, h, w), b = op.b.read_f32(memory, n, c, h, w);
    const float old = op.kind == Kind::mac ? memory.read_f32(op.out, n, c, h, w) : 0.0f;
    memory.write_f32(op.out, n, c, h, w, result(op.kind, a, b, old));
  });
}

}  // namespace tputwin
