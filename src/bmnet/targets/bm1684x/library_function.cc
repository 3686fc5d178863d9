// Calls of the kernel library's functions.
#include "bmnet/targets/bm1684x/library_function.h"

#include "isa/bm1684x/expand.h"
#include "numerics/constant_tables.h"
#include "ops/conv/weights_bm1684x.h"
#include "ops/elementwise/convert.h"

namespace tputwin::net::bm1684x {
namespace {

// Returns the table with the series of a function that is not an exponential alone.
const StaticTable& series_of(FloatFunction::Kind kind) {
  switch (kind) {
    case FloatFunction::Kind::erf:
    case FloatFunction::Kind::erfc:
    case FloatFunction::Kind::gelu:
      return kErfCoeff;
    case FloatFunction::Kind::sin:
      return kSinCoeff;
    case FloatFunction::Kind::cos:
      return kCosCoeff;
    case FloatFunction::Kind::tan:
    case FloatFunction::Kind::cot:
      return kTanCoeff;
    case FloatFunction::Kind::arcsin:
    case FloatFunction::Kind::arccos:
      return kArcsinCoeff;
    default:
      return kLogCoeff;
  }
}

TensorView table_view(uint32_t address, const StaticTable& table) {
  return aligned(address, {1, chip().lanes, 1, table.words}, DType::f32);
}

uint32_t lane_bytes_of(const StaticTable& table) {
  return static_cast<uint32_t>(align_up_to(table.words * 4, chip().eu_bytes));
}

// Returns the function with its first `work` work tensors.
FloatFunction with(FloatFunction::Kind kind, size_t work, bool exponential, bool series) {
  const TensorView view = aligned(0, {1, 1, 1, 1}, DType::f32);
  FloatFunction f{.kind = kind, .out = view, .a = Source::tensor(view)};
  f.b = Source::value(0.5f);
  for (size_t i = 0; i < work; ++i) f.work[i] = view;
  if (exponential) f.exp_coeff = f.exp_table = view;
  if (series) f.coeff = view;
  return f;
}

// A function whose work tensors or tables are missing is its own step.
bool is_complete(const FloatFunction& f) {
  const std::vector<Operation> steps = isa::steps_of(f, chip());
  const auto* only = steps.size() == 1 ? std::get_if<FloatFunction>(&steps[0]) : nullptr;
  return only == nullptr || f.kind == FloatFunction::Kind::div;
}

}  // namespace

int64_t FunctionNeeds::table_bytes() const {
  return (exponential ? lane_bytes_of(kExpCoeff) + lane_bytes_of(kExpTable) : 0) +
         (series ? lane_bytes_of(kLogCoeff) : 0);
}

FunctionNeeds needs_of(FloatFunction::Kind kind) { return target().needs_of(kind); }

void call_function(StreamProgram& program, FloatFunction f, const Extents& e, uint32_t work) {
  target().call(program, std::move(f), e, work);
}

namespace {

// The BM1684X: one function of its kernel library, which is expanded to commands.
class Bm1684xTarget final : public Target {
 public:
  Bm1684xTarget() : Target(first_of(ChipFamily::bm1684x)) {}

  const LocalMemory& memory() const override {
    static const StreamLanes lanes(chip.lanes, chip.eu_bytes, chip.lane_bytes, chip.limits.extent,
                                   chip.limits.extent);
    return lanes;
  }
  uint64_t first_weight() const override { return 0; }
  uint32_t weight_group(DType type) const override { return tputwin::weight_group(type); }
  Result<std::vector<Operation>> commands_of(const Operation& op) const override {
    return isa::steps_of(op, chip);
  }
  FunctionNeeds needs_of(FloatFunction::Kind kind) const override;
  void call(StreamProgram& program, FloatFunction f, const Extents& e,
            uint32_t work) const override;
  bool transposes() const override { return true; }
  bool has_type(DType) const override { return true; }
  bool has_step(const ScalarStep&) const override { return true; }
  void choose_if_equal(StreamProgram& program, const Select& op, uint32_t) const override {
    program.add(op);
  }
  void round(StreamProgram& program, const TensorView& to, const TensorView& from,
             Rounding rounding, uint32_t) const override {
    program.add(Convert{.kind = Convert::Kind::whole, .rounding = rounding, .out = to, .in = from});
  }
};

FunctionNeeds Bm1684xTarget::needs_of(FloatFunction::Kind kind) const {
  FunctionNeeds needs;
  const size_t most = FloatFunction{}.work.size();
  needs.exponential = !is_complete(with(kind, most, false, true));
  needs.series = !is_complete(with(kind, most, true, false));
  while (needs.work_tensors < most && !is_complete(with(kind, needs.work_tensors, true, true)))
    ++needs.work_tensors;
  return needs;
}

void Bm1684xTarget::call(StreamProgram& program, FloatFunction f, const Extents& e,
                         uint32_t work) const {
  const FunctionNeeds needs = needs_of(f.kind);
  const uint32_t tile = static_cast<uint32_t>(
      local_memory().tensor_bytes({.tensor = {}, .e = e, .type = DType::f32}, e));
  uint32_t at = work;
  for (size_t i = 0; i < needs.work_tensors; ++i, at += tile)
    f.work[i] = aligned(at, e, DType::f32);
  auto load = [&](std::optional<TensorView>& to, const StaticTable& table) {
    to = table_view(at, table);
    at += lane_bytes_of(table);
    program.add(LoadTable{.out = *to, .address = table.address});
  };
  if (needs.exponential) {
    load(f.exp_coeff, kExpCoeff);
    load(f.exp_table, kExpTable);
  }
  if (needs.series) load(f.coeff, series_of(f.kind));
  program.add(f);
}

}  // namespace

const Target& bm1684x_target() {
  static const Bm1684xTarget target;
  return target;
}

}  // namespace tputwin::net::bm1684x
