// Concatenations of one block of a dense net, as one that grows.
//
// (a,b), (a,b,c) and (a,b,c,d) become (a,b), ((a,b),c) and (((a,b),c),d). The first is stored at
// the start of the second, and so on, so that each of a to d is written once.
#include "bmnet/targets/bm1684x/moves/join_concats.h"

#include <algorithm>
#include <set>

namespace tputwin::net::bm1684x {
namespace {

// A step of bytes may become twice as large: one of eight bits is lost.
constexpr float kMostGrowth = 2;

int axis_of(const TensorOp& concat) {
  const int axis = concat.tg_concat_param().axis();
  return axis < 0 ? axis + concat.output_shape(0).dim_size() : axis;
}

class Joining {
 public:
  Joining(Network& network, std::map<std::string, float>& ranges,
          const std::function<bool(const TensorOp&, const TensorOp&)>& have_one_type)
      : ops_(network.ops), ranges_(ranges), have_one_type_(have_one_type) {
    for (const std::string& output : network.outputs()) outputs_.insert(output);
  }

  void run() {
    std::vector<TensorOp*> concats;
    for (TensorOp& op : ops_) {
      if (!is(op, Op::concat) || op.cpu_op()) continue;
      while (join(op, concats)) {
      }
      concats.push_back(&op);
    }
    share_ranges(concats);
  }

 private:
  // The thresholds of concatenations that share theirs.
  struct Chain {
    float least = 0, most = 0;
  };

  float range(const std::string& tensor) const {
    const auto found = ranges_.find(tensor);
    return found == ranges_.end() ? 0 : found->second;
  }

  // Returns the concatenation that stands for all of a chain.
  const std::string& last(const std::string& concat) const {
    const std::string* t = &concat;
    for (auto in = later_.find(*t); in != later_.end(); in = later_.find(*t)) t = &in->second;
    return *t;
  }

  Chain chain_of(const std::string& concat) const {
    const auto known = chains_.find(last(concat));
    return known == chains_.end() ? Chain{range(concat), range(concat)} : known->second;
  }

  static Chain united(const Chain& a, const Chain& b) {
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
  }

  // Replaces the longest run of inputs that an earlier layer has joined.
  bool join(TensorOp& op, const std::vector<TensorOp*>& earlier) {
    const TensorOp* longest = nullptr;
    for (const TensorOp* inner : earlier)
      if (position(*inner, op) < op.bottom_size() && may_join(*inner, op) &&
          (longest == nullptr || longest->bottom_size() < inner->bottom_size()))
        longest = inner;
    if (longest == nullptr) return false;
    const std::string &inner = longest->top(0), &outer = op.top(0);
    const Chain whole = united(chain_of(inner), chain_of(outer));
    replace(op, position(*longest, op), *longest);
    if (last(inner) != last(outer)) later_[std::string(last(inner))] = outer;
    chains_[last(outer)] = whole;
    return true;
  }

  bool may_join(const TensorOp& inner, const TensorOp& outer) const {
    const Chain whole = united(chain_of(inner.top(0)), chain_of(outer.top(0)));
    return axis_of(inner) == axis_of(outer) && have_one_type_(inner, outer) &&
           whole.most <= kMostGrowth * whole.least;
  }

  // Returns the index of the first of `inner`'s inputs in those of `outer`, where all follow each
  // other; the number of inputs if they do not, or are all.
  static int position(const TensorOp& inner, const TensorOp& outer) {
    const int none = outer.bottom_size();
    if (inner.bottom_size() < 2 || inner.bottom_size() >= none) return none;
    const auto found = std::search(outer.bottom().begin(), outer.bottom().end(),
                                   inner.bottom().begin(), inner.bottom().end());
    return static_cast<int>(found - outer.bottom().begin());
  }

  static void replace(TensorOp& op, int first, const TensorOp& inner) {
    const int count = inner.bottom_size() - 1;
    op.set_bottom(first, inner.top(0));
    *op.mutable_input_shape(first) = inner.output_shape(0);
    op.mutable_bottom()->DeleteSubrange(first + 1, count);
    op.mutable_input_shape()->DeleteSubrange(first + 1, count);
  }

  void share_ranges(const std::vector<TensorOp*>& concats) {
    for (const TensorOp* op : concats)
      if (ranges_.contains(op->top(0))) ranges_[op->top(0)] = chain_of(op->top(0)).most;
    for (const TensorOp* op : concats)
      for (const std::string& part : op->bottom())
        if (range(part) > 0 && range(op->top(0)) > 0 && is_read_by_chain(part, op->top(0)))
          ranges_[part] = range(op->top(0));
  }

  // Returns true if only concatenations of one threshold read a tensor.
  bool is_read_by_chain(const std::string& tensor, const std::string& concat) const {
    if (outputs_.contains(tensor)) return false;
    return std::ranges::all_of(ops_, [&](const TensorOp& op) {
      return std::ranges::find(op.bottom(), tensor) == op.bottom().end() ||
             (is(op, Op::concat) && range(op.top(0)) == range(concat));
    });
  }

  std::vector<TensorOp>& ops_;
  std::map<std::string, float>& ranges_;
  const std::function<bool(const TensorOp&, const TensorOp&)>& have_one_type_;
  std::set<std::string> outputs_;
  std::map<std::string, std::string> later_;  // another concatenation of the chain
  std::map<std::string, Chain> chains_;       // by last()
};

}  // namespace

void join_concats(Network& network, std::map<std::string, float>& ranges,
                  const std::function<bool(const TensorOp&, const TensorOp&)>& have_one_type) {
  Joining(network, ranges, have_one_type).run();
}

}  // namespace tputwin::net::bm1684x
