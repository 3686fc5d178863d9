// scatter: contract, cost and reference kernel.
#include "ops/index/scatter.h"

#include "base/bits.h"
#include "ops/contract/attributes.h"
#include "ops/contract/timing.h"

namespace tputwin {

std::string_view name(const Scatter& op) {
  return op.engine == Engine::dma ? "dma_scatter" : "scatter";
}

void attributes(const Scatter& op, AttributeSink& to) {
  to.word("by", to_string(op.by));
  to.flag("leaves_out", op.leaves_out);
}

OperandList operands(const Scatter& op) {
  // Elements without an index keep their old values.
  return {{"output_addr", &op.out, Access::read_write},
          {"param_addr", &op.param, Access::read},
          {"index_addr", &op.index, Access::read}};
}

namespace {

// Returns the shape of the elements that have an index: those of param, for every batch of the
// result.
Shape walked(const Scatter& op) {
  const Shape& p = op.param.shape;
  return {op.out.shape.n, p.c, p.h, p.w};
}

}  // namespace

Status check(const Scatter& op, const Chip& chip) {
  return check_indexed(op.by, op.engine, operands(op), walked(op), chip);
}

Cost cost(const Scatter& op, const Chip& chip) {
  const Shape s = walked(op);
  if (op.engine == Engine::dma)
    return transfer_cost(op.out, op.param, uint64_t{s.w} * element_bytes(op.out.dtype), chip);
  const uint64_t rounds = ceil_div(uint64_t{s.c}, chip.lanes);
  return compute_cost(s.n * rounds * s.h * s.w, s.count(), operands(op), chip);
}

namespace {

// Calls f(n, c, h, w, spot) for each of these elements.
template <class F>
void for_each_spot(const Scatter& op, const Memory& memory, F&& f) {
  const Shape s = walked(op);
  for_each_index(s, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    f(n, c, h, w, spot_of(op.by, op.index, memory, n, c, h, w, s.w));
  });
}

bool inside(const Scatter& op, const Spot& spot) {
  const Shape& s = op.out.shape;
  return spot.y >= 0 && spot.y < s.h && spot.x >= 0 && spot.x < s.w;
}

bool all_inside(const Scatter& op, const Memory& memory) {
  bool all = true;
  for_each_spot(op, memory, [&](uint32_t, uint32_t, uint32_t, uint32_t, const Spot& spot) {
    if (inside(op, spot)) return;
    all = false;
    note(op.fault, outer_index(op.by, spot, op.out.shape));
  });
  return all;
}

}  // namespace

void execute(const Scatter& op, const Memory& memory) {
  if (!op.leaves_out && !all_inside(op, memory)) return;
  for_each_spot(op, memory, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w, const Spot& spot) {
    if (!inside(op, spot)) return;
    const uint32_t batch = op.param.shape.n == 1 ? 0 : n;
    memory.write(op.out, n, c, static_cast<uint32_t>(spot.y), static_cast<uint32_t>(spot.x),
                 memory.read(op.param, batch, c, h, w));
  });
}

}  // namespace tputwin
