// Networks of the BM1684X of any size, put together layer by layer: every layer loads what it reads
// from global memory, computes, and stores its result there.
#pragma once

#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "common/rng.h"
#include "ops/instruction.h"

namespace tputwin::testing {

class BuiltBmodel {
 public:
  // fp32 or fp16; weights are small random numbers.
  BuiltBmodel(std::string name, DType dtype, uint64_t seed = 1);

  // A map in global memory.
  struct Map {
    Shape shape;
    uint64_t address;
  };
  Map input(const Shape& shape);
  struct Square {
    uint32_t kernel = 1, stride = 1, pad = 0;
  };
  Map conv(const Map& in, uint32_t channels, const Square& square, bool relu);
  Map max_pool(const Map& in, const Square& square);
  Map average_pool(const Map& in);      // of whole planes
  Map add(const Map& a, const Map& b);  // with ReLU

  // The model with this output.
  Result<std::vector<uint8_t>> file(const Map& output) const;
  uint64_t input_bytes() const { return bytes(input_.shape); }
  uint64_t neuron_bytes() const { return neurons_; }

 private:
  uint64_t bytes(const Shape& shape) const { return shape.count() * element_bytes(dtype_); }
  Map map(const Shape& shape);
  TensorView lanes(const Shape& shape, DType dtype, bool aligned = true);
  TensorView global(uint64_t address, const Shape& shape, DType dtype) const;
  void load(const TensorView& to, uint64_t address);
  TensorView weights(const Shape& shape, DType dtype);
  void store(const Map& map, const TensorView& from);
  void compute(Operation op);
  void clamp(const TensorView& view);  // ReLU, in place
  void issue(Operation op, Engine engine);

  std::string name_;
  DType dtype_;
  Rng rng_;
  Map input_;
  std::vector<uint8_t> coefficients_;
  uint64_t neurons_ = 0, lane_bytes_ = 0;
  std::vector<Instruction> program_;
  uint32_t issued_[2] = {};  // of the tensor engine, of the GDMA
};

// ResNet-50 and ResNet-18 with their extents, 102 and 47 MB of fp32.
BuiltBmodel::Map add_resnet50(BuiltBmodel& net);
BuiltBmodel::Map add_resnet18(BuiltBmodel& net);

}  // namespace tputwin::testing
