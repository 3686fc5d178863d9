// Fuses residual sums and ReLU into the kernels whose results they work on.
#include <algorithm>
#include <array>

#include "machine/optimizer/executable_plan.h"
#include "machine/optimizer/program_graph.h"
#include "ops/fast/views/views.h"

namespace tputwin {
namespace {

const Elementwise* with_constant(const Operation& op, Elementwise::Kind kind) {
  const auto* e = std::get_if<Elementwise>(&op);
  return e != nullptr && e->kind == kind && e->b_is_constant ? e : nullptr;
}

// Returns the view of 8-bit results without the high plane of the 16-bit sums at its address.
TensorView low_plane(TensorView view) {
  view.plane_stride = 0;
  return view;
}

bool same_layout(const TensorView& a, const TensorView& b) {
  return a.address == b.address && a.shape == b.shape && a.stride == b.stride;
}

// Returns true if only `reader` reads the bytes that `writer` writes, and they are overwritten
// afterwards.
bool serves_only(const Dataflow& flow, uint32_t writer, uint32_t reader) {
  const Dataflow::Node& node = flow.nodes[writer];
  return node.dies && node.constant_readers.empty() && node.readers == std::vector{reader};
}

// Returns true if local operands of the instructions in (first, last), except those in `but`, are
// disjoint from `place`. Checks all operands if `all` is set, else only written ones.
bool apart(std::span<const Instruction> program, uint32_t first, uint32_t last,
           std::array<uint32_t, 2> but, const TensorView& place, bool all,
           const LocalMemory& local) {
  for (uint32_t i = first + 1; i < last; ++i) {
    if (i == but[0] || i == but[1]) continue;
    for (const Operand& operand : operands(program[i].op))
      if ((all || operand.access != Access::read) && operand.view->space == Space::local &&
          !fast::disjoint(*operand.view, place, local))
        return false;
  }
  return true;
}

}  // namespace

std::optional<uint32_t> Plan::body_of(uint32_t step) const {
  if (steps_[step].body != nullptr) return step;
  if (!steps_[step].absorbed()) return {};
  return steps_[step].absorbed_by;
}

// Fuses residuals. A residual is a mul_const of an addend to 16 bits, and a mac_const that adds the
// results of a kernel to it. The kernel stores the sums at the output of mac_const, at the time
// when `body` runs. So nothing may touch that output, or change the addend, before mac_const.
void Plan::absorb_sums(const Dataflow& flow, const LocalMemory& local) {
  for (uint32_t i = 0; i < program_.size(); ++i) {
    const Elementwise* mac = with_constant(program_[i].op, Elementwise::Kind::mac);
    const auto& writers = flow.nodes[i].writers;
    if (mac == nullptr || writers.size() != 2 ||
        std::ranges::count(writers, Dataflow::kBefore) != 0)
      continue;
    const bool mul_first =
        with_constant(program_[writers[0]].op, Elementwise::Kind::mul) != nullptr;
    const uint32_t first = writers[mul_first ? 0 : 1], body = writers[mul_first ? 1 : 0];
    if (!serves_only(flow, first, i) || !serves_only(flow, body, i) ||
        !is_sum(first, body, i, local))
      continue;
    const auto& mul = std::get<Elementwise>(program_[first].op);
    const fast::WeightedAddend sum{.addend = mul.a,
                                   .out = low_plane(mac->out),
                                   .addend_factor = mul.constant,
                                   .factor = mac->constant,
                                   .addend_rshift = mul.rshift,
                                   .lshift = mac->lshift,
                                   .rshift = mac->rshift};
    if (steps_[body].body->add(sum)) steps_[first].absorbed_by = steps_[i].absorbed_by = body;
  }
}

bool Plan::is_sum(uint32_t first, uint32_t body, uint32_t last, const LocalMemory& local) const {
  const Elementwise* mul = with_constant(program_[first].op, Elementwise::Kind::mul);
  const auto& mac = std::get<Elementwise>(program_[last].op);
  if (mul == nullptr || steps_[body].body == nullptr) return false;
  const TensorView &addend = mul->a, &wide = mul->out;
  const bool fits = !is_16bit(addend.dtype) && is_16bit(wide.dtype) && !is_16bit(mac.a.dtype) &&
                    !is_16bit(mac.out.dtype) && addend.shape == wide.shape &&
                    is_signed(wide.dtype) == is_signed(mac.out.dtype) &&
                    wide.plane_stride == mac.out.plane_stride && same_layout(wide, mac.out);
  if (!fits || *operands(program_[body].op)[0].view != mac.a || mac.a.shape != mac.out.shape ||
      !fast::distinct(wide, local) || !fast::disjoint(mac.a, wide, local))
    return false;
  if (!fast::has_byte_rows(addend) || !fast::has_byte_rows(low_plane(mac.out))) return false;
  if (!same_layout(addend, wide) && !fast::disjoint(addend, wide, local)) return false;
  return apart(program_, body, last, {first, first}, wide, /*all=*/true, local) &&
         apart(program_, std::min(first, body), last, {first, body}, addend, /*all=*/false, local);
}

// Fuses ReLU: an in-place maximum of the results of a kernel with a constant. No other instruction
// may read or write these results before. The kernel then stores the clamped values directly.
void Plan::absorb_floors(const Dataflow& flow) {
  for (uint32_t i = 0; i < program_.size(); ++i) {
    const Elementwise* max = with_constant(program_[i].op, Elementwise::Kind::max);
    if (max == nullptr || max->out != max->a || flow.nodes[i].writers.size() != 1) continue;
    const uint32_t writer = flow.nodes[i].writers.front();
    if (writer == Dataflow::kBefore) continue;
    const auto body = body_of(writer);
    const Dataflow::Node& written = flow.nodes[writer];
    if (!body || written.readers != std::vector{i} || !written.constant_readers.empty()) continue;
    if (low_plane(*operands(program_[writer].op)[0].view) != low_plane(max->a)) continue;
    if (steps_[*body].body->raise_to(max->constant)) steps_[i].absorbed_by = *body;
  }
}

}  // namespace tputwin
