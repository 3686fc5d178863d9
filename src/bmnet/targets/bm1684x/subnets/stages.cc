// Compilation of a net for several shapes.
#include "bmnet/targets/bm1684x/compile.h"

namespace tputwin::net::bm1684x {

Result<std::vector<CompiledStream>> compile_stages(std::span<const Network> networks,
                                                   StreamOptions options) {
  std::vector<CompiledStream> stages;
  StoredWeights all;
  const auto compile_one = [&](const Network& network) {
    if (!stages.empty() || networks.size() > 1) options.stored = &all;
    return compile(network, options);
  };
  for (const Network& network : networks) {
    TW_ASSIGN_OR_RETURN(stage, compile_one(network));
    all = {stage.weights, stage.weight_parts};
    stages.push_back(std::move(stage));
  }
  // Neuron memory begins after the weights of all stages.
  options.places = nullptr;
  for (size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].weights.size() == all.bytes.size()) continue;
    TW_ASSIGN_OR_RETURN(stage, compile_one(networks[i]));
    stages[i] = std::move(stage);
  }
  return stages;
}

}  // namespace tputwin::net::bm1684x
