// Pass, BM1880: fuses a residual into the kernel whose results are added. A residual is a mul_const
// of an addend to 16 bits, and a mac_const that adds the 8-bit results of the kernel to it. The
// kernel stores the sums at the output of mac_const, at the time when its own instruction runs.
//
// Legal if
// - only mac_const reads the results of the kernel and of mul_const, and later instructions
//   overwrite both;
// - no instruction between the kernel and mac_const touches the output, as the sums are there
//   earlier than in program order;
// - no instruction before mac_const changes the addend, as the kernel may read it early or late;
// - the output, the results of the kernel and the addend do not overlap. The addend may be stored
//   at the output itself.
//
//   before: 1 conv2d: kernel                     after: 1 conv2d: kernel
//           2 wide = mul_const(addend)                  2 mul_const: fused into 1
//           3 out = mac_const(conv2d, wide)             3 mac_const: fused into 1
#include <algorithm>
#include <array>

#include "machine/optimizer/passes.h"
#include "machine/optimizer/pointwise.h"
#include "ops/fast/views/views.h"

namespace tputwin {
namespace {

// Holds the instructions of a residual: `mac` adds the results of `kernel` to those of `mul`.
struct Residual {
  uint32_t mul, kernel, mac;
};

bool same_layout(const TensorView& a, const TensorView& b) {
  return a.address == b.address && a.shape == b.shape && a.stride == b.stride;
}

// Returns true if the local operands of the instructions in (first, last), except those in
// `excluded`, are disjoint from `view`. `of_reads` includes operands that are only read.
bool are_disjoint(const PlanBuilder& plan, uint32_t first, uint32_t last,
                  std::array<uint32_t, 2> excluded, const TensorView& view, bool of_reads) {
  for (uint32_t i = first + 1; i < last; ++i) {
    if (i == excluded[0] || i == excluded[1]) continue;
    for (const Operand& operand : operands(plan.graph().op(i)))
      if ((of_reads || operand.access != Access::read) && operand.view->space == Space::local &&
          !fast::disjoint(*operand.view, view, plan.local()))
        return false;
  }
  return true;
}

// Returns the instructions whose results mac_const at `mac` adds, if it alone reads them.
std::optional<Residual> find_residual(const ProgramGraph& graph, uint32_t mac) {
  const auto& writers = graph.node(mac).writers;
  if (writers.size() != 2 || std::ranges::count(writers, ProgramGraph::kBefore) != 0) return {};
  const bool is_mul_first = with_constant(graph.op(writers[0]), Elementwise::Kind::mul) != nullptr;
  const Residual residual{
      .mul = writers[is_mul_first ? 0 : 1], .kernel = writers[is_mul_first ? 1 : 0], .mac = mac};
  if (!graph.feeds_only(residual.mul, mac) || !graph.feeds_only(residual.kernel, mac)) return {};
  return residual;
}

bool have_fitting_types(const Elementwise& mul, const Elementwise& mac) {
  const TensorView &addend = mul.a, &wide = mul.out;
  return !is_16bit(addend.dtype) && is_16bit(wide.dtype) && !is_16bit(mac.a.dtype) &&
         !is_16bit(mac.out.dtype) && addend.shape == wide.shape &&
         is_signed(wide.dtype) == is_signed(mac.out.dtype) &&
         wide.plane_stride == mac.out.plane_stride && same_layout(wide, mac.out);
}

bool is_legal(const PlanBuilder& plan, const Residual& r) {
  const ProgramGraph& graph = plan.graph();
  const Elementwise* mul = with_constant(graph.op(r.mul), Elementwise::Kind::mul);
  const auto& mac = std::get<Elementwise>(graph.op(r.mac));
  if (mul == nullptr || plan.step(r.kernel).kernel == nullptr) return false;
  const TensorView &addend = mul->a, &wide = mul->out;
  if (!have_fitting_types(*mul, mac) || result_of(graph.op(r.kernel)) != mac.a ||
      mac.a.shape != mac.out.shape || !fast::distinct(wide, plan.local()) ||
      !fast::disjoint(mac.a, wide, plan.local()))
    return false;
  if (!fast::has_byte_rows(addend) || !fast::has_byte_rows(low_plane(mac.out))) return false;
  if (!same_layout(addend, wide) && !fast::disjoint(addend, wide, plan.local())) return false;
  return are_disjoint(plan, r.kernel, r.mac, {r.mul, r.mul}, wide, /*of_reads=*/true) &&
         are_disjoint(plan, std::min(r.mul, r.kernel), r.mac, {r.mul, r.kernel}, addend,
                      /*of_reads=*/false);
}

}  // namespace

void fuse_residual(PlanBuilder& plan) {
  const ProgramGraph& graph = plan.graph();
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Elementwise* mac = with_constant(graph.op(i), Elementwise::Kind::mac);
    if (mac == nullptr) continue;
    const auto residual = find_residual(graph, i);
    if (!residual || !is_legal(plan, *residual)) continue;
    const auto& mul = std::get<Elementwise>(graph.op(residual->mul));
    const fast::WeightedAddend sum{.addend = mul.a,
                                   .out = low_plane(mac->out),
                                   .addend_factor = mul.constant,
                                   .factor = mac->constant,
                                   .addend_rshift = mul.rshift,
                                   .lshift = mac->lshift,
                                   .rshift = mac->rshift};
    if (!plan.step(residual->kernel).kernel->add(sum)) continue;
    plan.step(residual->mul).fused_into = residual->kernel;
    plan.step(i).fused_into = residual->kernel;
  }
}

}  // namespace tputwin
