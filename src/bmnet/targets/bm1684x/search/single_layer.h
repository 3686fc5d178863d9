// One layer of a float net, compiled alone and run on the simulated chip.
#pragma once

#include <bmnet/calibration.pb.h>

#include <map>
#include <memory>
#include <string>

#include "bmnet/targets/bm1684x/search/simulated_net.h"

namespace tputwin::net::bm1684x {

class SingleLayer {
 public:
  // Compiles `op` in a type. Bytes have the thresholds of `table`.
  static Result<std::unique_ptr<SingleLayer>> make(const Network& network, const TensorOp& op,
                                                   const NetCalibrationParameter& table,
                                                   DType type);

  uint64_t cycles() const { return compiled_.predicted_cycles; }
  // Returns the results for these values of the layer's inputs.
  Result<std::map<std::string, Blob>> run(const std::map<std::string, Blob>& tensors);

 private:
  SingleLayer() = default;

  Network network_;
  CompiledStream compiled_;
  std::unique_ptr<SimulatedNet> simulated_;
};

}  // namespace tputwin::net::bm1684x
