// Float execution of a Network, layer by layer, on oneDNN where it has the operation.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bmnet/ir/network.h"

namespace tputwin::net {

class FloatExecutor {
 public:
  // Weights are prepared once. The network must outlive the executor.
  static Result<std::unique_ptr<FloatExecutor>> create(const Network& network);
  ~FloatExecutor();

  // Called with every tensor, inputs included, as soon as it is there.
  using Observer = std::function<void(const std::string& tensor, const Blob& value)>;
  // Values of the net's outputs. Inputs by tensor name, of the shapes of the network.
  Result<std::map<std::string, Blob>> run(const std::map<std::string, Blob>& inputs,
                                          const Observer& observer = {});

 private:
  struct State;
  explicit FloatExecutor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The vector instructions that it uses here: with others sums have other last bits.
std::string_view float_instructions();

}  // namespace tputwin::net
