// Pass finish: sets the data that a bmodel and the caller get about the program.
#include "bmnet/kernels/target.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/group_report.h"
#include "bmnet/pipeline/passes.h"
#include "insight/timing/commands.h"
#include "isa/bm1880_codec.h"
#include "machine/program_cost.h"

namespace tputwin::net::pass {
namespace {

std::vector<uint32_t> shape4(const TensorShape& shape) {
  const Extents e = extents(shape);
  return {static_cast<uint32_t>(e.n), static_cast<uint32_t>(e.c), static_cast<uint32_t>(e.h),
          static_cast<uint32_t>(e.w)};
}

// For results of inner products and of layers computed from them: N rows of C values become
// (1,1,N,C), as in the vendor's models.
std::vector<uint32_t> output_shape(const TensorShape& shape) {
  if (shape.dim_size() != 2) return shape4(shape);
  return {1, 1, static_cast<uint32_t>(shape.dim(0)), static_cast<uint32_t>(shape.dim(1))};
}

uint32_t format(const TensorShape& shape) { return shape.data_type_size() == 4 ? FMT_F32 : FMT_I8; }

void describe_ends(Compilation& c) {
  const Network& network = c.net.network;
  for (const std::string& t : network.inputs()) {
    const TensorShape& shape = *network.shape_of(t);
    c.compiled.inputs.push_back(
        {shape4(shape), c.net.threshold_of(t), format(shape), c.positions.find(t)->second.offset});
  }
  for (const std::string& t : network.outputs()) {
    const TensorShape& shape = *network.shape_of(t);
    c.compiled.outputs.push_back({network.blob_name(t), output_shape(shape),
                                  c.positions.find(t)->second.offset, c.net.threshold_of(t),
                                  format(shape)});
  }
}

}  // namespace

Status finish(Compilation& c) {
  Compiled& compiled = c.compiled;
  compiled.cmdbuf = c.program->commands();
  if (c.options.layer_names) compiled.layers = c.program->layers();
  TW_ASSIGN_OR_RETURN(program, isa::decode_program(compiled.cmdbuf, target()));
  const ProgramCost p = program_cost(program, target());
  compiled.price_cycles = p.elapsed_cycles;
  compiled.predicted_cycles = insight::predicted_cycles(program, target());
  compiled.global_bytes = p.cost.global_bytes;
  compiled.instructions = p.instructions;
  describe_ends(c);
  for (const auto& [tensor, place] : c.positions) compiled.tensor_offsets[tensor] = place.offset;
  explain_total(compiled.explanation, compiled);
  frame(compiled.optimized, c.net.network, compiled);
  return {};
}

}  // namespace tputwin::net::pass
