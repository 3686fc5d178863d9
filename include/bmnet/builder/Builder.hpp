// Builder: compiles a net into a bmodel. (BMNNSDK API v1, "CaffeBuilder"; BMNet guide 3.6)
#ifndef BMNET_BUILDER_BUILDER_HPP
#define BMNET_BUILDER_BUILDER_HPP

#include <bmnet/backend/TensorFixedInst.hpp>
#include <bmnet/frontend/Layer.hpp>
#include <bmnet/utils/common.hpp>

#include <stddef.h>
#include <stdint.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// Optimization levels; each includes those below it. Results are equal at every level.
#define BM_OPT_NONE 0
#define OPT_NONE BM_OPT_NONE
#define BM_OPT_LAYER_GROUP 1
#define BM_OPT_LAYER_GROUP_WITH_GMEM_RECYCLE 2
#define BM_OPT_MERGE_BM_SCALE_ACTIV 3
#define BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT 4
#define BM_OPT_BYPASS_OPTIMIZER BM_OPT_NONE  // the layers as they are

namespace bmnet {

// Thrown by every call below that fails. what() names the layer, the value and the rule.
class CompileError : public std::runtime_error {
 public:
  explicit CompileError(const std::string& what) : std::runtime_error(what) {}
};

class BuilderBase {
 public:
  explicit BuilderBase(CHIP_VER ver);
  virtual ~BuilderBase();
  BuilderBase(const BuilderBase&) = delete;
  BuilderBase& operator=(const BuilderBase&) = delete;

  // Instructions of customized layers, found by inst_name(). The builder owns them.
  void addCustomizedTensorInst(Instruction* inst);

  // Compiles for one input shape per input of the net.
  void build(int n, int c, int h, int w, int opt = BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT);
  void build(std::vector<TensorShape> nchw, int opt = BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT);

  // ---- After build() ----

  // Writes the optimized net in the intermediate representation, as text.
  void store_prototxt(const char* dst);
  void store_weight(const char* dst);
  void store_cmdbuf(const char* dst);
  // Writes a bmodel. plugin_path is a folder with x86_64/NAME.so and armv8/NAME.so of CPU
  // operators, required if the net has any. input_tensor and debug are accepted and change nothing.
  void store_model(const char* net_name, const char* dst, const char* plugin_path = nullptr,
                   const char* input_tensor = nullptr, bool debug = false);

  size_t total_neuron_size() const;
  size_t output_offset() const;
  size_t output_size() const;
  // Returns groups, slices, local memory and predicted cycles, with reasons.
  const std::string& explanation() const;

  std::vector<uint8_t> weight, cmdbuf;
  std::vector<std::string> output_layers;
  std::vector<TensorShape> output_shapes;
  std::vector<float> output_thresholds;
  std::vector<uint64_t> output_offsets;
  std::vector<int> output_fmts;
  std::vector<std::string> cpu_layers;

  // Private state that the builder and its net share.
  struct State;

 protected:
  std::unique_ptr<State> state_;
};

// T is the type of the elements, int8_t for the BM1880.
template <typename T = int8_t>
class Builder : public BuilderBase {
 public:
  explicit Builder(CHIP_VER ver) : BuilderBase(ver) {
    static_assert(sizeof(T) == 1, "the BM1880 computes with int8_t");
  }
};

}  // namespace bmnet

#endif
