// Float execution of a Network, layer by layer. Uses oneDNN for the operations that it supports.
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
  // Prepares the weights once. The network must outlive the executor.
  static Result<std::unique_ptr<FloatExecutor>> create(const Network& network);
  ~FloatExecutor();

  // Called with every tensor, inputs included, as soon as its values exist.
  using Observer = std::function<void(const std::string& tensor, const Blob& value)>;
  // Returns the values of the net's outputs. Inputs are keyed by tensor name and must have the
  // network's shapes.
  Result<std::map<std::string, Blob>> run(const std::map<std::string, Blob>& inputs,
                                          const Observer& observer = {});
  // Returns the outputs if some tensors had other values. `known` has the values of all tensors of
  // a run, `changed` those that replace them. Only what depends on these is computed.
  Result<std::map<std::string, Blob>> rerun(const std::map<std::string, Blob>& known,
                                            std::map<std::string, Blob> changed);

 private:
  struct State;
  explicit FloatExecutor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Returns the vector instructions that are used on this machine. With others the last bits of sums
// differ.
std::string_view float_instructions();

}  // namespace tputwin::net
