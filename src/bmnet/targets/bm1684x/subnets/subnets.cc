// Division of a net into subnets.
#include "bmnet/targets/bm1684x/subnets/subnets.h"

#include <algorithm>

#include "bmnet/targets/bm1684x/subnets/host_layers.h"

namespace tputwin::net::bm1684x {
namespace {

class Division {
 public:
  explicit Division(const Network& network) : network_(network) {}

  std::vector<SubnetLayers> run() {
    cut();
    for (size_t i = 0; i < subnets_.size(); ++i) {
      for (size_t op = subnets_[i].begin; op < subnets_[i].end; ++op) read(network_.ops[op], i);
    }
    const TensorOp& end = network_.ops.back();
    for (const std::string& tensor : end.bottom()) write(tensor);
    return std::move(subnets_);
  }

 private:
  void cut() {
    for (size_t i = 0; i < network_.ops.size(); ++i) {
      const TensorOp& op = network_.ops[i];
      if (is(op, Op::start) || is(op, Op::end)) continue;
      const bool on_host = is(op, Op::host);
      if (subnets_.empty() || on_host || subnets_.back().on_host)
        subnets_.push_back({.begin = i, .end = i, .on_host = on_host});
      subnets_.back().end = i + 1;
      for (const std::string& top : op.top()) maker_[top] = subnets_.size() - 1;
    }
    // A reshape has no commands: its result exists with its input.
    for (const TensorOp& op : network_.ops)
      if (is(op, Op::reshape)) {
        const auto maker = maker_.find(renamed_tensor(network_, op.bottom(0)));
        if (maker == maker_.end())
          maker_.erase(op.top(0));
        else
          maker_[op.top(0)] = maker->second;
      }
  }

  void read(const TensorOp& op, size_t subnet) {
    if (is(op, Op::reshape)) return;
    for (const std::string& bottom : op.bottom()) {
      const std::string& tensor =
          subnets_[subnet].on_host ? bottom : renamed_tensor(network_, bottom);
      const auto maker = maker_.find(tensor);
      if (maker != maker_.end() && maker->second == subnet) continue;
      insert(subnets_[subnet].inputs, tensor);
      write(tensor);
    }
  }
  // Makes a tensor an output of the subnet that writes it.
  void write(const std::string& tensor) {
    if (const auto maker = maker_.find(tensor); maker != maker_.end())
      insert(subnets_[maker->second].outputs, tensor);
  }
  static void insert(std::vector<std::string>& list, const std::string& tensor) {
    if (std::ranges::find(list, tensor) == list.end()) list.push_back(tensor);
  }

  const Network& network_;
  std::vector<SubnetLayers> subnets_;
  std::map<std::string, size_t> maker_;  // subnets by the tensors that they write
};

}  // namespace

std::vector<SubnetLayers> divide(const Network& network) { return Division(network).run(); }

}  // namespace tputwin::net::bm1684x
