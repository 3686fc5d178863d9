// float_arithmetic: contract, cost and reference kernel.
#include "ops/elementwise/float_arithmetic.h"

#include <utility>

#include "base/errors/tpukernel.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/source_operands.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"
#include "ops/rules/bm1684x_elementwise.h"

namespace tputwin {
namespace {

float square(float x) { return f32::mul(x, x); }

// Returns the passes over the elements. Division is three Newton steps of the inverse square root.
uint64_t passes(FloatArithmetic::Kind kind) {
  constexpr uint64_t kPasses[] = {1, 1, 1, 20, 2, 1, 1, 1, 1, 2, 2, 2};
  return kPasses[static_cast<size_t>(kind)];
}

bool takes_f32_only(FloatArithmetic::Kind kind) {
  return kind == FloatArithmetic::Kind::div || kind == FloatArithmetic::Kind::mac;
}

Status check_bm1684x(const FloatArithmetic& op, const Chip& chip) {
  const OperandList list = operands(op);
  const DType dtype = op.out.dtype;
  TW_RETURN_IF_ERROR(require(takes_f32_only(op.kind) ? dtype == DType::f32 : is_float(dtype),
                             errors::tpu_dtype, "dst_addr", op.out));
  for (const Operand& operand : list)
    TW_RETURN_IF_ERROR(
        require(operand.view->dtype == dtype, errors::tpu_dtype_pair, operand.name, *operand.view));
  return check_bm1684x_sources(list, {&op.a, &op.b}, chip);
}

}  // namespace

float float_arithmetic(const FloatArithmetic& op, float a, float b, float c) {
  auto rounded = [&](float x) { return round_to(x, op.out.dtype); };
  if (op.b_first) std::swap(a, b);
  switch (op.kind) {
    case FloatArithmetic::Kind::add:
      return f32::add(a, b);
    case FloatArithmetic::Kind::sub:
      return f32::sub(a, b);
    case FloatArithmetic::Kind::mul:
      return f32::mul(a, b);
    case FloatArithmetic::Kind::div:
      return f32::div(a, b);
    case FloatArithmetic::Kind::mac:
      return f32::mac(a, b, c);
    case FloatArithmetic::Kind::mul_add:
      return f32::add(c, rounded(f32::mul(b, a)));
    case FloatArithmetic::Kind::diff_abs:
      return a > b ? f32::sub(a, b) : f32::sub(b, a);
    case FloatArithmetic::Kind::add_square:
      return square(rounded(f32::add(a, b)));
    case FloatArithmetic::Kind::sub_square:
      return square(rounded(f32::sub(a, b)));
    default:
      return 0;  // choices
  }
}

uint32_t float_choice(const FloatArithmetic& op, uint32_t a, uint32_t b) {
  const DType type = op.out.dtype;
  const float x = float_value(a, type), y = float_value(b, type);
  switch (op.kind) {
    case FloatArithmetic::Kind::max:
      return flush_bits(x > y ? a : b, type);
    case FloatArithmetic::Kind::lesser:
      return flush_bits(y <= x ? b : a, type);
    default:
      return x <= y ? a : b;
  }
}

std::string_view to_string(FloatArithmetic::Kind kind) {
  constexpr std::string_view kNames[] = {"add",      "sub",        "mul",        "div",
                                         "mac",      "max",        "min",        "min",
                                         "diff_abs", "add_square", "sub_square", "mul_add"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(const FloatArithmetic& op) { return to_string(op.kind); }

void attributes(const FloatArithmetic& op, AttributeSink& to) {
  to.constants(op.a, op.b);
  if (op.kind == FloatArithmetic::Kind::mul_add) to.constant("c", op.c);
  to.flag("b_first", op.b_first);
}

OperandList operands(const FloatArithmetic& op) {
  OperandList list{{"dst_addr", &op.out,
                    op.kind == FloatArithmetic::Kind::mac ? Access::read_write : Access::write}};
  if (op.kind != FloatArithmetic::Kind::mul_add) {
    add_sources(list, op.a, op.b);
    return list;
  }
  list.push_back({"src_addr", &op.a.view, Access::read});
  add_source(list, "scale_addr", op.b);
  add_source(list, "bias_addr", op.c);
  return list;
}

namespace {

// The reference model executes this case with any number of channels.
bool is_maximum_of_itself(const FloatArithmetic& op) {
  return op.kind == FloatArithmetic::Kind::max && !op.a.is_constant && !op.b.is_constant &&
         op.a.view == op.b.view;
}

}  // namespace

Status check(const FloatArithmetic& op, const Chip& chip) {
  if (chip.family == ChipFamily::bm1684x) return check_bm1684x(op, chip);
  const Channels channels = is_maximum_of_itself(op) ? Channels::all : Channels::documented;
  TW_RETURN_IF_ERROR(
      check_bm1684_32bit(operands(op), op.out.shape, chip, /*alignment=*/4, channels));
  TW_RETURN_IF_ERROR(advise_bm1684_same_npu(operands(op), chip));
  return advise_bm1684_channels("shape", op.out.shape, chip);
}

Cost cost(const FloatArithmetic& op, const Chip& chip) {
  return compute_cost(
      lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)) * passes(op.kind),
      op.out.shape.count() * passes(op.kind), operands(op), chip);
}

void execute(const FloatArithmetic& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    if (is_choice(op.kind)) {
      const auto a = static_cast<uint32_t>(op.a.read(memory, n, c, h, w));
      const auto b = static_cast<uint32_t>(op.b.read(memory, n, c, h, w));
      memory.write(op.out, n, c, h, w, static_cast<int32_t>(float_choice(op, a, b)));
      return;
    }
    const float a = read_float(memory, op.a, n, c, h, w), b = read_float(memory, op.b, n, c, h, w);
    const float third =
        op.kind == FloatArithmetic::Kind::mac       ? read_float(memory, op.out, n, c, h, w)
        : op.kind == FloatArithmetic::Kind::mul_add ? read_float(memory, op.c, n, c, h, w)
                                                    : 0.0f;
    write_float(memory, op.out, n, c, h, w, float_arithmetic(op, a, b, third));
  });
}

}  // namespace tputwin
