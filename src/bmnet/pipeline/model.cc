// Conversion of a compiled net to a model of container 2.1.
#include "bmnet/pipeline/compile.h"

namespace tputwin::net {

uint64_t Compiled::output_bytes() const {
  uint64_t bytes = 0;
  for (const bmodel::Output& o : outputs) bytes += o.bytes();
  return bytes;
}

bmodel::Model to_model(const Compiled& compiled, const std::string& name) {
  bmodel::Model model;
  model.name = name;
  model.version = "2.1";
  model.weights = {compiled.weight};
  bmodel::Variety v;
  v.inputs = compiled.inputs;
  v.outputs = compiled.outputs;
  v.cmdbuf = compiled.cmdbuf;
  v.neuron_size = compiled.neuron_size;
  v.layers = compiled.layers;
  model.varieties = {std::move(v)};
  return model;
}

}  // namespace tputwin::net
