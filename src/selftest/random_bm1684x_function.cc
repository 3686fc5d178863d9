// Random functions of floating-point tensors of the BM1684X.
#include "memory/layout.h"
#include "selftest/tensor_family.h"

namespace tputwin::testing {
namespace {

using Kind = FloatFunction::Kind;
constexpr uint32_t kKinds = static_cast<uint32_t>(Kind::isfinite) + 1;

class Functions : TensorFamily {
 public:
  Functions(Rng& rng, const Chip& chip) : TensorFamily(rng, chip) { lane_ = tensors_.start_lane(); }

  Operation function() {
    FloatFunction op{.kind = static_cast<Kind>(rng_.below(kKinds))};
    const DType type = is_function32(op.kind) ? DType::f32 : float_type();
    shape_ = tensors_.shape(/*max_count=*/800);
    op.out = aligned(type);
    op.a = Source::tensor(aligned(type));
    if (op.kind == Kind::div) give_quotient(op);
    if (op.kind == Kind::pow) op.b = rng_.coin() ? untyped_f32() : Source::tensor(aligned(type));
    if (op.kind == Kind::compensated_reciprocal) op.a = source(type);
    if (!op.a.is_constant && op.a.view.stride == op.out.stride && rng_.chance(1, 4))
      op.out.address = op.a.view.address;
    give_tables(op, type);
    give_parameters(op);
    // pow has a second tensor and fewer work tensors: an operation has at most ten operands.
    for (uint32_t i = rng_.below(op.kind == Kind::pow ? 4 : 5); i-- > 0;)
      op.work[i] = aligned(type);
    return op;
  }

 private:
  TensorView table(uint32_t words, DType type) {
    return tensors_.dense({1, chip_.lanes, 1, words}, 0, type, /*aligned=*/true);
  }

  void give_quotient(FloatFunction& op) {
    op.out = result(DType::f32);
    op.a = source(DType::f32);
    op.b = source(DType::f32);
    if (rng_.chance(1, 3))
      op.a = untyped_f32();
    else if (rng_.chance(1, 3))
      op.b = untyped_f32();
  }

  void give_tables(FloatFunction& op, DType type) {
    if (op.kind == Kind::taylor) op.coeff = table(rng_.range(2, 34), type);
    if (!is_function32(op.kind)) return;
    op.coeff = table(function32::kPeriodTerms, type);
    if (!function32::is_exponential(function32_kind(op.kind))) return;
    op.exp_coeff = table(function32::kExpTerms, type);
    if (rng_.chance(4, 5)) op.exp_table = table(function32::kExpEntries, type);
    op.entries = op.out;
    op.entries->dtype = DType::u16;
    op.entries->plane_stride = 1;
    op.entries->stride = lane_stride(chip_, shape_, lane_, 2, /*aligned=*/true);
  }

  void give_parameters(FloatFunction& op) {
    auto number = [&] { return f32::from_bits(random_f32(rng_, ValueKind::usual)); };
    const float beta = rng_.chance(1, 3) ? 1.0f : number();
    op.parameters = {rng_.range(1, 4), rng_.range(1, 3), number(), beta};
  }
};

}  // namespace

TW_FAMILY(random_bm1684x_function, Functions, {float_function, &Functions::function})

}  // namespace tputwin::testing
