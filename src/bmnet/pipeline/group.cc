// Pass group: combines kernels to layer groups. Groups and layers of other kinds are the stages of
// the program.
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

class Grouping {
 public:
  explicit Grouping(Compilation& c) : c_(c) {}

  // Collects kernels of consecutive layers until a layer of another kind.
  Status run() {
    for (size_t i = 0; i < ops().size(); ++i) {
      const bool has_kernels = next() < c_.kernels.size() && c_.kernels[next()]->op == i;
      if (std::optional<ProgramPart> other = has_kernels ? std::nullopt : other_part(i)) {
        TW_RETURN_IF_ERROR(end_run());
        c_.parts.push_back(std::move(*other));
      }
      while (next() < c_.kernels.size() && c_.kernels[next()]->op == i)
        run_.push_back(c_.kernels[next()].get());
    }
    return end_run();
  }

 private:
  const std::vector<TensorOp>& ops() const { return c_.net.network.ops; }
  size_t next() const { return first_ + run_.size(); }

  // Returns the stage of a layer without kernels; nullopt if the layer has kernels or only renames
  // tensors.
  std::optional<ProgramPart> other_part(size_t i) const {
    const TensorOp& op = ops()[i];
    ProgramPart part;
    part.op = i;
    if (is(op, Op::customized)) part.kind = ProgramPart::Kind::customized;
    if (runs_on_host(op)) part.kind = ProgramPart::Kind::host;
    if (part.kind != ProgramPart::Kind::group) return part;
    if (is(op, Op::concat) && !c_.net.integers[i].multiplier.empty()) return std::nullopt;
    std::vector<Move> moves = moves_of(op);
    for (size_t k = 0; k < moves.size(); ++k)
      if (!c_.storage->is_inside(moves[k].from, moves[k].to) && c_.skipped_moves.count({i, k}) == 0)
        part.moves.push_back(std::move(moves[k]));
    if (part.moves.empty()) return std::nullopt;
    part.kind = ProgramPart::Kind::moves;
    return part;
  }

  // Groups the kernels collected so far.
  Status end_run() {
    if (run_.empty()) return {};
    TensorUses uses;
    uses.is_needed_after = [this](const std::string& t, size_t last) { return is_needed(t, last); };
    uses.storage = [this](const std::string& t) { return c_.storage->root(t); };
    PartitionOptions how = c_.partition;
    how.has_groups = how.has_overlap = c_.at_least(Level::layer_group);
    TW_ASSIGN_OR_RETURN(groups, partition(run_, first_, uses, how, *c_.pricer));
    for (PricedGroup& g : groups) c_.parts.emplace_back().group = std::move(g);
    first_ = next();
    run_.clear();
    return {};
  }

  // Returns true if the tensor has readers other than kernels up to `last`.
  bool is_needed(const std::string& tensor, size_t last) const {
    if (c_.options.keep_all) return true;
    for (size_t i : c_.storage->readers(tensor)) {
      auto kernel = c_.last_kernel_of.find(i);
      if (kernel == c_.last_kernel_of.end() || kernel->second > last) return true;
    }
    return c_.storage->is_shared(tensor);
  }

  Compilation& c_;
  std::vector<const TiledKernel*> run_;  // kernels that are not yet in a group
  size_t first_ = 0;                     // index of the first of them
};

}  // namespace

Status group(Compilation& c) { return Grouping(c).run(); }

}  // namespace tputwin::net::pass
