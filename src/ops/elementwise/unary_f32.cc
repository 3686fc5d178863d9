// unary_f32: contract, cost and reference kernel.
#include "ops/elementwise/unary_f32.h"

#include "base/errors/okkernel.h"
#include "numerics/float32.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684.h"

namespace tputwin {
namespace {

f32::WithWork result(const UnaryF32& op, int32_t bits) {
  float x = f32::from_bits(static_cast<uint32_t>(bits));
  if (truncates_source(op)) x = f32::truncate(x);
  switch (op.kind) {
    case UnaryF32::Kind::rsqrt:
      return {f32::rsqrt(x), 0};
    case UnaryF32::Kind::sqrt:
      return {f32::sqrt(x), 0};
    case UnaryF32::Kind::relu:
      return {f32::relu(x), 0};
    case UnaryF32::Kind::taylor_exp:
      return {f32::taylor_exp(x, op.terms), 0};
    case UnaryF32::Kind::exp:
      return f32::exp(x, op.terms);
    case UnaryF32::Kind::sigmoid:
      return f32::sigmoid(x, op.terms);
    case UnaryF32::Kind::tanh:
      return f32::tanh(x, op.terms);
    case UnaryF32::Kind::to_int32:
      return {f32::from_bits(static_cast<uint32_t>(f32::to_int32(x))), 0};
    case UnaryF32::Kind::lookup_exp:
      return {f32::lookup_exp(bits), 0};
    case UnaryF32::Kind::lookup_int8:
      return {f32::lookup_int8(bits), 0};
  }
  return {0, 0};
}

constexpr uint64_t kInverseRoot = 16;  // arithmetic steps of f32::rsqrt

uint64_t passes(const UnaryF32& op) {
  switch (op.kind) {
    case UnaryF32::Kind::rsqrt:
      return kInverseRoot;
    case UnaryF32::Kind::sqrt:
      return 2 * kInverseRoot + 2;
    case UnaryF32::Kind::taylor_exp:
      return 2 * op.terms;
    case UnaryF32::Kind::exp:
      return 2 * op.terms + 5;
    case UnaryF32::Kind::sigmoid:
      return 2 * op.terms + kInverseRoot + 9;
    case UnaryF32::Kind::tanh:
      return 2 * op.terms + 2 * kInverseRoot + 13;
    default:
      return 1;
  }
}

}  // namespace

std::string_view to_string(UnaryF32::Kind kind) {
  constexpr std::string_view kNames[] = {"rsqrt",      "sqrt",       "relu", "taylor_exp",
                                         "exp",        "sigmoid",    "tanh", "to_int32",
                                         "lookup_exp", "lookup_int8"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(const UnaryF32& op) { return to_string(op.kind); }

void attributes(const UnaryF32& op, AttributeSink& to) {
  if (is_series(op.kind)) to.number("terms", op.terms);
}

OperandList operands(const UnaryF32& op) {
  OperandList list{{"dst_addr", &op.out, Access::write}, {"src_addr", &op.in, Access::read}};
  if (op.work) list.push_back({"work_addr", &*op.work, Access::write});
  return list;
}

Status check(const UnaryF32& op, const Chip& chip) {
  const bool relu = op.kind == UnaryF32::Kind::relu;
  TW_RETURN_IF_ERROR(check_bm1684_32bit(operands(op), op.out.shape, chip, relu ? 4 : chip.eu_bytes,
                                        relu ? Channels::all : Channels::documented));
  TW_RETURN_IF_ERROR(advise_bm1684_same_npu(operands(op), chip));
  TW_RETURN_IF_ERROR(advise_bm1684_channels("shape", op.out.shape, chip));
  if (!op.work) return {};
  TW_RETURN_IF_ERROR(require(op.work->address != op.out.address, errors::okk_series_work_dst,
                             "work_addr", *op.work));
  TW_RETURN_IF_ERROR(require(op.work->address != op.in.address, errors::okk_series_work_src,
                             "work_addr", *op.work));
  return require(!truncates_source(op), errors::okk_series_dst_src, "dst_addr", op.out);
}

Cost cost(const UnaryF32& op, const Chip& chip) {
  return compute_cost(lane_passes(op.out.shape, chip, 4) * passes(op),
                      op.out.shape.count() * passes(op), operands(op), chip);
}

void execute(const UnaryF32& op, const Memory& memory) {
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const f32::WithWork value = result(op, memory.read(op.in, n, c, h, w));
    if (op.work) memory.write_f32(*op.work, n, c, h, w, value.work);
    // Written last, so that the result stays if work is at dst.
    memory.write_f32(op.out, n, c, h, w, value.result);
  });
}

}  // namespace tputwin
