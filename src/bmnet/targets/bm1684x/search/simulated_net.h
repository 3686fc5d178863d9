// Runs of compiled nets on the simulated chip.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bmnet/targets/bm1684x/compile.h"

namespace tputwin {
class Device;
}

namespace tputwin::net::bm1684x {

// Values of tensors, in the order of the net.
using Values = std::vector<std::vector<float>>;

class SimulatedNet {
 public:
  // Loads the weights. `net` must outlive the result.
  static Result<std::unique_ptr<SimulatedNet>> load(const CompiledStream& net);
  ~SimulatedNet();

  // Rounds the inputs to their types. Returns the values of the outputs.
  Result<Values> run(const std::vector<std::span<const float>>& inputs);

 private:
  SimulatedNet(const CompiledStream& net, std::unique_ptr<Device> device);

  const CompiledStream& net_;
  std::unique_ptr<Device> device_;
};

}  // namespace tputwin::net::bm1684x
