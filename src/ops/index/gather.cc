// gather: contract, cost and reference kernel.
#include "ops/index/gather.h"

#include "base/bits.h"
#include "ops/contract/attributes.h"
#include "ops/contract/timing.h"

namespace tputwin {

std::string_view name(const Gather& op) {
  return op.engine == Engine::dma ? "dma_gather" : "gather";
}

void attributes(const Gather& op, AttributeSink& to) {
  constexpr std::string_view kOutside[] = {"fault", "skip", "fill"};
  to.word("by", to_string(op.by));
  to.word("outside", kOutside[static_cast<size_t>(op.outside)]);
  if (op.outside == Gather::Outside::fill) to.bits("fill", op.fill);
  if (op.first_row != 0) to.number("first_row", op.first_row);
  if (op.last_row != UINT32_MAX) to.number("last_row", op.last_row);
}

OperandList operands(const Gather& op) {
  // Skipped elements keep their old values.
  return {{"output_addr", &op.out, Access::read_write},
          {"param_addr", &op.param, Access::read},
          {"index_addr", &op.index, Access::read}};
}

Status check(const Gather& op, const Chip& chip) {
  return check_indexed(op.by, op.engine, operands(op), op.out.shape, chip);
}

// The tensor engine picks one element per lane and cycle.
Cost cost(const Gather& op, const Chip& chip) {
  const Shape& s = op.out.shape;
  if (op.engine == Engine::dma)
    return transfer_cost(op.out, op.param, uint64_t{s.w} * element_bytes(op.out.dtype), chip);
  const uint64_t rounds = ceil_div(uint64_t{s.c}, chip.lanes);
  return compute_cost(s.n * rounds * s.h * s.w, s.count(), operands(op), chip);
}

namespace {

bool inside(const Gather& op, const Spot& spot) {
  return spot.y >= op.first_row && spot.y <= op.last_row &&
         spot.y - op.first_row < op.param.shape.h && spot.x >= 0 && spot.x < op.param.shape.w;
}

// Calls f(n, c, h, w, spot) for each element of the result.
template <class F>
void for_each_spot(const Gather& op, const Memory& memory, F&& f) {
  const Shape& s = op.out.shape;
  for_each_index(s, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    f(n, c, h, w, spot_of(op.by, op.index, memory, n, c, h, w, s.w));
  });
}

bool all_inside(const Gather& op, const Memory& memory) {
  bool all = true;
  for_each_spot(op, memory, [&](uint32_t, uint32_t, uint32_t, uint32_t, const Spot& spot) {
    if (inside(op, spot)) return;
    all = false;
    note(op.fault, outer_index(op.by, spot, op.param.shape));
  });
  return all;
}

}  // namespace

void execute(const Gather& op, const Memory& memory) {
  if (op.outside == Gather::Outside::fault && !all_inside(op, memory)) return;
  for_each_spot(op, memory, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w, const Spot& spot) {
    const uint32_t batch = op.param.shape.n == 1 ? 0 : n;
    if (inside(op, spot))
      memory.write(op.out, n, c, h, w,
                   memory.read(op.param, batch, c, static_cast<uint32_t>(spot.y - op.first_row),
                               static_cast<uint32_t>(spot.x)));
    else if (op.outside == Gather::Outside::fill)
      memory.write(op.out, n, c, h, w, static_cast<int32_t>(op.fill));
  });
}

}  // namespace tputwin
