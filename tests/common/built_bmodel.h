// Networks of any size, built layer by layer. Every layer loads its inputs from global memory,
// computes, and stores its result there.
#pragma once

#include <string>
#include <vector>

#include "common/command_program.h"
#include "ops/contract/window.h"
#include "selftest/rng.h"

namespace tputwin::testing {

class BuiltBmodel {
 public:
  virtual ~BuiltBmodel() = default;

  // A map in global memory.
  struct Map {
    Shape shape;
    DType dtype;
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

  // Returns the model with this output.
  Result<std::vector<uint8_t>> file(const Map& output) const;
  const Map& input() const { return input_; }
  uint64_t input_bytes() const { return bytes(input_); }
  uint64_t neuron_bytes() const { return neurons_; }

 protected:
  // Weights are small random numbers; a cell holds `pack` images of a map.
  BuiltBmodel(std::string name, const Chip& chip, DType dtype, uint8_t pack = 1, uint64_t seed = 1);

  // The computation of a layer on a chip, from local memory to local memory.
  virtual void compute_conv(const TensorView& in, const TensorView& out, const Window& window,
                            bool relu) = 0;
  virtual void compute_maximum(const TensorView& in, const TensorView& out,
                               const Window& window) = 0;
  virtual void compute_average(const TensorView& in, const TensorView& out,
                               const Window& window) = 0;
  virtual void compute_sum(const TensorView& a, const TensorView& b, const TensorView& out) = 0;
  virtual DType conv_type(bool /*relu*/) const { return dtype_; }

  // Appends random weights to the coefficients in global memory, and loads them.
  TensorView weights(const Shape& shape, DType dtype, uint8_t pack = 1);
  // For floats: ReLU in place, and a sum with ReLU.
  void clamp(const TensorView& view);
  void add_floats(const TensorView& a, const TensorView& b, const TensorView& out);
  CommandProgram program_;

 private:
  uint64_t bytes(const Map& map) const;
  Map map(const Shape& shape, DType dtype);
  TensorView lanes(const Map& map) {
    return program_.lanes(map.shape, map.dtype, /*aligned=*/true, pack_);
  }
  TensorView loaded(const Map& map);
  void store(const Map& map, const TensorView& from);
  std::unique_ptr<bmodel::bm168x::TensorT> tensor(const char* name, const Map& map) const;

  std::string name_;
  DType dtype_;
  uint8_t pack_;
  Rng rng_;
  Map input_;
  std::vector<uint8_t> coefficients_;
  uint64_t neurons_ = 0;
};

// Builds for the BM1684X, fp32 or fp16.
class BuiltBm1684x : public BuiltBmodel {
 public:
  BuiltBm1684x(std::string name, DType dtype);

 private:
  void compute_conv(const TensorView&, const TensorView&, const Window&, bool) override;
  void compute_maximum(const TensorView&, const TensorView&, const Window&) override;
  void compute_average(const TensorView&, const TensorView&, const Window&) override;
  void compute_sum(const TensorView&, const TensorView&, const TensorView&) override;
};

// Builds for the BM1684, fp32.
class BuiltBm1684 : public BuiltBmodel {
 public:
  explicit BuiltBm1684(std::string name);

 private:
  void compute_conv(const TensorView&, const TensorView&, const Window&, bool) override;
  void compute_maximum(const TensorView&, const TensorView&, const Window&) override;
  void compute_average(const TensorView&, const TensorView&, const Window&) override;
  void compute_sum(const TensorView&, const TensorView&, const TensorView&) override;
};

// Builds for the BM1684, bytes with four images per cell; unsigned after a ReLU.
class BuiltBm1684Int8 : public BuiltBmodel {
 public:
  explicit BuiltBm1684Int8(std::string name);

 private:
  void compute_conv(const TensorView&, const TensorView&, const Window&, bool) override;
  void compute_maximum(const TensorView&, const TensorView&, const Window&) override;
  void compute_average(const TensorView&, const TensorView&, const Window&) override;
  void compute_sum(const TensorView&, const TensorView&, const TensorView&) override;
  DType conv_type(bool relu) const override { return relu ? DType::u8 : DType::i8; }
};

// ResNet-50 and ResNet-18 with their extents, 102 and 47 MB of fp32.
BuiltBmodel::Map add_resnet50(BuiltBmodel& net, uint32_t images = 1);
BuiltBmodel::Map add_resnet18(BuiltBmodel& net, uint32_t images = 1);

}  // namespace tputwin::testing
