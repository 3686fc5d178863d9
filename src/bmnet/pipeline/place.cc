// Pass place: assigns addresses in neuron memory. Inputs are at 0; outputs are contiguous and in
// order.
#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/neuron_memory.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

// Windows over the last sample may read a little beyond its end, where the weights are 0.
constexpr uint64_t kSlack = 4096;
constexpr uint64_t kGlobalBytes = uint64_t{1} << 32;

class Placement {
 public:
  explicit Placement(Compilation& c)
      : c_(c), inputs_(c.net.network.inputs()), outputs_(c.net.network.outputs()) {}

  Status run() {
    find_lives();
    std::vector<Lifetime> lives = {joint_life(inputs_, -1), joint_life(only_outputs(), end())};
    std::vector<std::string> others;
    for (const auto& [root, life] : life_) {
      if (is_one_of(inputs_, root) || is_one_of(outputs_, root)) continue;
      others.push_back(root);
      lives.push_back(life);
    }
    const bool recycles = c_.at_least(Level::recycle_memory) && !c_.options.keep_all;
    const NeuronMemory memory = place_tensors(lives, recycles);
    put_together(inputs_, memory.offsets[0]);
    put_together(only_outputs(), memory.offsets[1]);
    for (size_t i = 0; i < others.size(); ++i) put(others[i], memory.offsets[i + 2]);
    storage().place_parts(c_.positions);
    return check_size(memory.bytes + kSlack);
  }

 private:
  const Storage& storage() const { return *c_.storage; }
  int end() const { return static_cast<int>(c_.parts.size()); }

  // ---- Lifetimes: the first and last stage that access the bytes of a tensor ----

  void find_lives() {
    for (const std::string& t : inputs_) touch(t, -1);
    for (int i = 0; i < end(); ++i) touch_all(c_.parts[static_cast<size_t>(i)], i);
    for (const std::string& t : outputs_) touch(t, end());
  }

  void touch_all(const ProgramPart& part, int index) {
    if (part.kind == ProgramPart::Kind::group) {
      for (const GroupTensor& t : part.group->schedule.tensors)
        if ((t.producer < 0 && !t.view.is_constant) || t.is_stored) touch(t.view.tensor, index);
      return;
    }
    const TensorOp& op = c_.net.network.ops[part.op];
    for (const std::string& t : op.bottom()) touch(t, index);
    for (const std::string& t : op.top()) touch(t, index);
  }

  void touch(const std::string& tensor, int part) {
    auto [it, is_new] = life_.try_emplace(storage().root(tensor), Lifetime{});
    Lifetime& life = it->second;
    if (is_new) life = {storage().bytes(it->first), part, part};
    life.first = std::min(life.first, part);
    life.last = std::max(life.last, part);
  }

  Lifetime joint_life(const std::vector<std::string>& tensors, int part) const {
    Lifetime all{0, part, part};
    for (const std::string& t : tensors) {
      const Lifetime& one = life_.at(storage().root(t));
      all.bytes += one.bytes;
      all.first = std::min(all.first, one.first);
      all.last = std::max(all.last, one.last);
    }
    return all;
  }

  bool is_one_of(const std::vector<std::string>& tensors, const std::string& tensor) const {
    return std::ranges::any_of(
        tensors, [&](const std::string& t) { return storage().root(t) == storage().root(tensor); });
  }
  std::vector<std::string> only_outputs() const {
    std::vector<std::string> result;
    for (const std::string& t : outputs_)
      if (!is_one_of(inputs_, t)) result.push_back(t);
    return result;
  }

  // ---- Positions ----

  void put_together(const std::vector<std::string>& tensors, uint64_t at) {
    for (const std::string& t : tensors)
      if (put(t, at)) at += storage().bytes(storage().root(t));
  }

  // Returns false if the bytes already have a position.
  bool put(const std::string& tensor, uint64_t at) {
    const std::string& root = storage().root(tensor);
    return c_.positions.try_emplace(root, TensorPosition{at, storage().sample_bytes(root)}).second;
  }

  Status check_size(uint64_t bytes) {
    c_.compiled.neuron_size = bytes;
    if (bytes <= kGlobalBytes) return {};
    const auto largest =
        std::ranges::max_element(life_, {}, [](const auto& tensor) { return tensor.second.bytes; });
    return Error(errors::net_memory)
        .in("net " + c_.net.network.name)
        .argument("neuron memory", fmt::format("{} bytes", bytes))
        .detail(fmt::format("the largest tensor, {}, has {} bytes; compile for a smaller batch or "
                            "smaller inputs",
                            c_.net.network.blob_name(largest->first), largest->second.bytes));
  }

  Compilation& c_;
  const std::vector<std::string> inputs_, outputs_;
  std::map<std::string, Lifetime> life_;  // by root
};

}  // namespace

Status place(Compilation& c) { return Placement(c).run(); }

}  // namespace tputwin::net::pass
