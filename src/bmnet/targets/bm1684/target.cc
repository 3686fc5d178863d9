// The BM1684 as a target of the compiler.
#include "bmnet/targets/bm1684/target.h"

#include "bmnet/targets/bm1684/bytes/byte_kernel.h"
#include "bmnet/targets/bm1684/bytes/quantize.h"
#include "bmnet/targets/bm1684/bytes/rewrite.h"
#include "bmnet/targets/bm1684/commands.h"
#include "bmnet/targets/bm1684/functions.h"

namespace tputwin::net::bm1684 {
namespace {

using bm1684x::BytePacking;
using bm1684x::FunctionNeeds;
using bm1684x::PackedNet;
using bm1684x::ScalarStep;
using bm1684x::StreamLanes;
using bm1684x::StreamProgram;

class CellPacking final : public BytePacking {
 public:
  bool computes_bytes(const TensorOp& op) const override { return bm1684::computes_bytes(op); }
  Result<NetCalibrationParameter> rewrite(Network& network,
                                          const NetCalibrationParameter& table) const override {
    return bm1684::rewrite(network, table);
  }
  Result<PackedNet> pack(const Network& network,
                         const NetCalibrationParameter& table) const override {
    TW_ASSIGN_OR_RETURN(net, quantized(network, table));
    return packed(std::move(net));
  }
  Kernels lower(const bm1684x::Layer& layer, const LayerIntegers& integers) const override {
    return lower_bytes(layer, integers);
  }
};

class Bm1684Target final : public bm1684x::Target {
 public:
  Bm1684Target() : Target(first_of(ChipFamily::bm1684)) {}

  std::string_view document() const override { return "docs/compiler-bm1684.md"; }

  const LocalMemory& memory() const override {
    static const StreamLanes lanes(chip.lanes, chip.eu_bytes, chip.lane_bytes, chip.limits.extent,
                                   chip.limits.channels);
    return lanes;
  }
  // Runtimes leave addresses below 0x1'0510'0000 as they are: "Bmodel" 3.
  uint64_t first_weight() const override { return 0x510'0000; }
  // Weights of fp32 are pairs of input channels (2IC).
  uint32_t weight_group(DType) const override { return kPair; }
  Result<std::vector<Operation>> commands_of(const Operation& op) const override {
    return bm1684::commands_of(op, chip);
  }
  FunctionNeeds needs_of(FloatFunction::Kind kind) const override {
    return {.work_tensors = work_tensors(kind)};
  }
  void call(StreamProgram& program, FloatFunction function, const Extents& e,
            uint32_t work) const override {
    emit_function(program, function, e, work);
  }
  bool keeps_constants() const override { return false; }
  bool transposes() const override { return false; }
  bool has_type(DType type) const override { return type == DType::f32 || type == DType::i8; }
  const BytePacking* packing() const override {
    static const CellPacking packing;
    return &packing;
  }
  bool has_step(const ScalarStep& step) const override { return bm1684::has_step(step); }
  size_t work_of_steps() const override { return kWorkOfSteps; }
  void choose_if_equal(StreamProgram& program, const Select& op, uint32_t work) const override {
    emit_choice_if_equal(program, op, work);
  }
  void round(StreamProgram& program, const TensorView& to, const TensorView& from,
             Rounding rounding, uint32_t work) const override {
    emit_rounding(program, to, from, rounding, work);
  }
};

}  // namespace

const bm1684x::Target& bm1684_target() {
  static const Bm1684Target target;
  return target;
}

}  // namespace tputwin::net::bm1684
