// Fuses epilogues. A chain of instructions works on the result of a kernel, in place or narrowing
// it. The kernel applies them while its result is in registers or cache.
#include <algorithm>

#include "machine/device.h"
#include "machine/optimizer/executable_plan.h"
#include "machine/optimizer/program_graph.h"

namespace tputwin {
namespace {

// A sorted set of ranges of local memory.
class LocalBytes {
 public:
  explicit LocalBytes(std::vector<ByteRange> ranges) : ranges_(std::move(ranges)) {
    std::erase_if(ranges_, [](const ByteRange& r) { return r.space != Space::local; });
    sort_and_merge(ranges_);
  }
  bool meets(const LocalBytes& other) const {
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
LocalBytes others_read(const Operation& op, const TensorView& view, const Chip& chip) {
  OperandList others;
  for (const Operand& operand : operands(op))
    if (operand.access != Access::write && *operand.view != view) others.push_back(operand);
  return LocalBytes(footprint_of(others, chip).reads);
}

// Returns the first instruction that reads the bytes of `node`, if no instruction reads them as
// constants.
std::optional<uint32_t> first_reader(const Dataflow::Node& node) {
  if (node.readers.empty() || !node.constant_readers.empty()) return {};
  return node.readers.front();
}

}  // namespace

// Returns a chain: an instruction with a prepared kernel, and the instructions that work on its
// result one after the other.
std::vector<uint32_t> Plan::chain_behind(uint32_t first, const Dataflow& flow) const {
  constexpr size_t kLongest = 3;
  std::vector<uint32_t> chain{first};
  while (chain.size() < kLongest) {
    const uint32_t last = chain.back();
    const auto next = first_reader(flow.nodes[last]);
    if (!next || *next <= last || program_[*next].engine != Engine::compute) break;
    chain.push_back(*next);
  }
  return chain;
}

// Returns true if the whole chain may run when its first instruction does. Two results are written
// in any order: the last one, and the bytes `left` of the one before it. They must be disjoint from
// each other and from everything that the chain reads. Other instructions within the chain's span
// must not touch these results, nor write parameters of the chain.
bool Plan::may_run_at_once(const std::vector<uint32_t>& chain, std::span<const ByteRange> left,
                           const Chip& chip) const {
  const Operation &first = program_[chain.front()].op, &last = program_[chain.back()].op;
  std::vector<ByteRange> written = footprint(last, chip).writes;
  if (LocalBytes(written).meets(LocalBytes({left.begin(), left.end()}))) return false;
  written.insert(written.end(), left.begin(), left.end());
  const LocalBytes result(std::move(written));
  if (result.meets(others_read(first, result_of(first), chip))) return false;
  for (size_t k = 1; k < chain.size(); ++k) {
    const LocalBytes parameters =
        others_read(program_[chain[k]].op, result_of(program_[chain[k - 1]].op), chip);
    if (result.meets(parameters)) return false;
    for (uint32_t i = chain.front() + 1; i < chain[k]; ++i)
      if (std::ranges::find(chain, i) == chain.end() &&
          LocalBytes(footprint(program_[i].op, chip).writes).meets(parameters))
        return false;
  }
  for (uint32_t i = chain.front() + 1; i < chain.back(); ++i) {
    if (std::ranges::find(chain, i) != chain.end()) continue;
    const Footprint touched = footprint(program_[i].op, chip);
    if (LocalBytes(touched.writes).meets(result) || LocalBytes(touched.reads).meets(result))
      return false;
  }
  return true;
}

// Returns the constants that the instructions after the first one read. They become part of the
// constants of the first one.
std::optional<Plan::Constants> Plan::constants_of_endings(const std::vector<uint32_t>& chain,
                                                          const Dataflow& flow) const {
  Constants constants;
  for (size_t k = 1; k < chain.size(); ++k)
    for (const uint32_t writer : flow.nodes[chain[k]].writers)
      if (writer != chain[k - 1] && !add_constant(writer, constants)) return {};
  return constants;
}

// Returns true if only the chain reads its results, except the last two.
bool Plan::stays_inside(const std::vector<uint32_t>& chain, const Dataflow& flow) const {
  return std::all_of(chain.begin(), chain.end() - 2, [&](uint32_t i) {
    return flow.nodes[i].dies && flow.nodes[i].readers.size() == 1;
  });
}

void Plan::absorb_endings(const Dataflow& flow, const Chip& chip) {
  for (uint32_t first = 0; first < program_.size(); ++first) {
    const Step& step = steps_[first];
    if (step.body == nullptr || step.constants == kNone) continue;
    for (auto chain = chain_behind(first, flow); chain.size() > 1; chain.pop_back()) {
      const std::span<const ByteRange> left = flow.nodes[chain[chain.size() - 2]].outlasting;
      const auto constants = constants_of_endings(chain, flow);
      if (!constants || !stays_inside(chain, flow) || !may_run_at_once(chain, left, chip)) continue;
      std::vector<const Operation*> endings;
      for (size_t k = 1; k < chain.size(); ++k) endings.push_back(&program_[chain[k]].op);
      if (!step.body->take_over(endings, left)) continue;
      Constants& all = constants_[step.constants];
      all.loads.insert(all.loads.end(), constants->loads.begin(), constants->loads.end());
      all.sources.insert(all.sources.end(), constants->sources.begin(), constants->sources.end());
      for (size_t k = 1; k < chain.size(); ++k) {
        steps_[chain[k]].absorbed_by = first;
        steps_[chain[k]].kept_by = step.constants;
      }
      break;
    }
  }
}

}  // namespace tputwin
