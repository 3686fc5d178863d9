// Pass: fuses the epilogue of int32 accumulators into the kernel that makes them: a bias that is
// added, a requantization that narrows, or the first and then the second. The kernel applies the
// epilogue while its accumulators are in registers or cache, and keeps the bias and multiplier with
// its packed constants.
//
// Legal if the instructions form a chain: each reads the result of the one before it. In addition:
// - only the chain reads the results of all but its last two instructions, and later instructions
//   overwrite them;
// - bias and multiplier are loaded from global memory that the program never writes;
// - the last result and the bytes of the result before it that are read later do not overlap each
//   other or anything that the chain reads;
// - other instructions within the span of the chain neither touch these bytes nor write the bias or
//   multiplier, as all of the chain runs when its first instruction does.
//
//   before: 3 conv2d: kernel, constants 0      after: 3 conv2d: kernel, constants 0
//           4 add bias                                4 add bias: fused into 3, constants 0
//           5 requantize                              5 requantize: fused into 3, constants 0
#include <algorithm>

#include "machine/optimizer/passes.h"

namespace tputwin {
namespace {

// A chain is an instruction with a prepared kernel, and the instructions that work on its result
// one after the other.
using Chain = std::vector<uint32_t>;
constexpr size_t kLongestChain = 3;  // accumulators, bias, requantization

// A sorted set of ranges of local memory.
class LocalBytes {
 public:
  explicit LocalBytes(std::vector<ByteRange> ranges) : ranges_(std::move(ranges)) {
    std::erase_if(ranges_, [](const ByteRange& r) { return r.space != Space::local; });
    sort_and_merge(ranges_);
  }
  bool overlaps(const LocalBytes& other) const {
    auto a = ranges_.begin(), b = other.ranges_.begin();
    while (a != ranges_.end() && b != other.ranges_.end()) {
      if (a->lane == b->lane && a->begin < b->end && b->begin < a->end) return true;
      const bool is_a_first = a->lane != b->lane ? a->lane < b->lane : a->end < b->end;
      is_a_first ? ++a : ++b;
    }
    return false;
  }

 private:
  std::vector<ByteRange> ranges_;
};

// Returns the bytes that an operation reads through operands other than `view`.
LocalBytes other_reads(const Operation& op, const TensorView& view, const Chip& chip) {
  OperandList others;
  for (const Operand& operand : operands(op))
    if (operand.access != Access::write && *operand.view != view) others.push_back(operand);
  return LocalBytes(footprint_of(others, chip).reads);
}

// Returns the first instruction that reads the bytes of `node`, if no instruction reads them as
// constants.
std::optional<uint32_t> first_reader(const ProgramGraph::Node& node) {
  if (node.readers.empty() || !node.constant_readers.empty()) return {};
  return node.readers.front();
}

Chain longest_chain(const ProgramGraph& graph, uint32_t first) {
  Chain chain{first};
  while (chain.size() < kLongestChain) {
    const auto next = first_reader(graph.node(chain.back()));
    if (!next || *next <= chain.back() || graph.program()[*next].engine != Engine::compute) break;
    chain.push_back(*next);
  }
  return chain;
}

// Returns the bytes that are read after the chain from the result of the last instruction but one.
std::span<const ByteRange> read_after(const ProgramGraph& graph, const Chain& chain) {
  return graph.node(chain[chain.size() - 2]).read_later;
}

// Returns true if only the chain reads the results of its instructions, except those of the last
// two.
bool keeps_results_inside(const ProgramGraph& graph, const Chain& chain) {
  return std::all_of(chain.begin(), chain.end() - 2, [&](uint32_t i) {
    return graph.node(i).is_overwritten && graph.node(i).readers.size() == 1;
  });
}

// Returns true if other instructions within the span of the chain do not touch its results.
bool is_undisturbed(const ProgramGraph& graph, const Chain& chain, const LocalBytes& results) {
  for (uint32_t i = chain.front() + 1; i < chain.back(); ++i) {
    if (std::ranges::find(chain, i) != chain.end()) continue;
    const Footprint touched = footprint(graph.op(i), graph.chip());
    if (LocalBytes(touched.writes).overlaps(results) || LocalBytes(touched.reads).overlaps(results))
      return false;
  }
  return true;
}

// Returns true if instruction number `k` of the chain finds its bias or multiplier when the first
// one runs: neither the results nor an instruction before it overwrite them.
bool has_parameters_early(const ProgramGraph& graph, const Chain& chain, size_t k,
                          const LocalBytes& results) {
  const LocalBytes parameters =
      other_reads(graph.op(chain[k]), result_of(graph.op(chain[k - 1])), graph.chip());
  if (results.overlaps(parameters)) return false;
  for (uint32_t i = chain.front() + 1; i < chain[k]; ++i)
    if (std::ranges::find(chain, i) == chain.end() &&
        LocalBytes(footprint(graph.op(i), graph.chip()).writes).overlaps(parameters))
      return false;
  return true;
}

// Returns true if the whole chain may run when its first instruction does. It writes the last
// result and the bytes `kept` of the result before it, in any order.
bool may_run_at_once(const ProgramGraph& graph, const Chain& chain) {
  const std::span<const ByteRange> kept = read_after(graph, chain);
  const Operation& first = graph.op(chain.front());
  std::vector<ByteRange> written = footprint(graph.op(chain.back()), graph.chip()).writes;
  if (LocalBytes(written).overlaps(LocalBytes({kept.begin(), kept.end()}))) return false;
  written.insert(written.end(), kept.begin(), kept.end());
  const LocalBytes results(std::move(written));
  if (results.overlaps(other_reads(first, result_of(first), graph.chip()))) return false;
  for (size_t k = 1; k < chain.size(); ++k)
    if (!has_parameters_early(graph, chain, k, results)) return false;
  return is_undisturbed(graph, chain, results);
}

// Returns the constants that the instructions after the first one read.
std::optional<PlanConstants> constants_of_epilogue(const ProgramGraph& graph, const Chain& chain) {
  std::vector<uint32_t> loads;
  for (size_t k = 1; k < chain.size(); ++k)
    for (const uint32_t writer : graph.node(chain[k]).writers)
      if (writer != chain[k - 1]) loads.push_back(writer);
  return constants_from(graph, loads);
}

// Fuses all but the first instruction of the chain into the kernel of the first one. Returns false
// if that is not legal, or the kernel has no such epilogue.
bool fuse(PlanBuilder& plan, const Chain& chain) {
  const ProgramGraph& graph = plan.graph();
  const PlanStep& step = plan.step(chain.front());
  const auto constants = constants_of_epilogue(graph, chain);
  if (!constants || !keeps_results_inside(graph, chain) || !may_run_at_once(graph, chain))
    return false;
  std::vector<const Operation*> epilogue;
  for (size_t k = 1; k < chain.size(); ++k) epilogue.push_back(&graph.op(chain[k]));
  if (!step.kernel->fuse_epilogue(epilogue, read_after(graph, chain))) return false;
  PlanConstants& all = plan.parts().constants[step.constants];
  all.loads.insert(all.loads.end(), constants->loads.begin(), constants->loads.end());
  all.sources.insert(all.sources.end(), constants->sources.begin(), constants->sources.end());
  for (size_t k = 1; k < chain.size(); ++k) {
    plan.step(chain[k]).fused_into = chain.front();
    plan.step(chain[k]).epilogue_constants = step.constants;
  }
  return true;
}

}  // namespace

void fuse_requantize(PlanBuilder& plan) {
  for (uint32_t first = 0; first < plan.graph().size(); ++first) {
    if (plan.step(first).kernel == nullptr || plan.step(first).constants == PlanStep::kNone)
      continue;
    Chain chain = longest_chain(plan.graph(), first);
    while (chain.size() > 1 && !fuse(plan, chain)) chain.pop_back();
  }
}

}  // namespace tputwin
