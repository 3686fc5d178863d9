// Network: a registered model, its memory, and one decoded program per variety.
#pragma once

#include <libbmruntime/bmruntime_bmnet.h>

#include <optional>
#include <string>
#include <vector>

#include "bmodel/bmodel.h"
#include "sdk/bmruntime/state.h"

namespace tputwin::rt {

// The info structs of one variety, and the arrays they point to.
struct VarietyInfo {
  explicit VarietyInfo(const bmodel::Variety& variety);
  VarietyInfo(const VarietyInfo&) = delete;

  std::vector<shape_t> input_shapes, output_shapes;
  std::vector<float> input_thresholds, output_thresholds;
  std::vector<size_t> input_sizes, output_sizes;
  std::vector<uint32_t> input_fmts, output_fmts;
  std::vector<std::string> names;
  std::vector<char*> name_pointers;
  bmnet_input_info_t input{};
  bmnet_output_info_t output{};
};

class Network {
 public:
  enum class Memories { own, imported };
  static Result<bmnet_t> add(bmctx_t ctx, bmodel::Model model, Memories memories, bool has_shape);
  void release();  // own memory

  // ---- Shapes ----
  Status select(std::span<const shape_t> shapes);
  // Returns the selected variety; an error if there is none.
  Result<size_t> selected() const;
  size_t selected_or_first() const { return selected_.value_or(0); }
  VarietyInfo& info(size_t variety) { return *infos_[variety]; }
  bmnet_model_info_t* model_info() { return &model_info_; }

  // ---- Memory ----
  Status import_weight(bmmem_t memory);
  Status import_neuron(bmmem_t memory);
  Status load_commands(std::span<const uint8_t> commands);
  Result<bmmem_t> weight_memory();
  Result<bmmem_t> neuron_memory() const;
  Result<bmmem_t> input_memory();
  Result<bmmem_t> output_memory();

  // ---- Running ----
  // Loads the first `bytes` of the inputs; all of them without a number.
  Status load_input(const uint8_t* data, std::optional<uint64_t> bytes = {});
  Status run();
  Status store_output(uint8_t* data);
  Status load_neuron(uint64_t offset, uint64_t bytes, const uint8_t* data);
  Status store_neuron(uint64_t offset, uint64_t bytes, uint8_t* data);

  const bmodel::Variety& variety(size_t index) const { return model_.varieties[index]; }
  bmctx_t context() const { return context_; }
  // The thread that uses a network of this device holds this mutex.
  std::recursive_mutex& run_mutex() { return device_->networks; }

 private:
  struct Block {
    bmmem_t memory = nullptr;
    bool own = false;
  };
  // Run-time data of a variety; programs are created at the first run.
  struct Prepared {
    std::shared_ptr<PlannedProgram> program;
    std::vector<uint8_t> commands;              // as they are run, if there is an observer
    bmmem_t input = nullptr, output = nullptr;  // views, made on demand
  };

  Network(bmctx_t ctx, bmodel::Model model, bool has_shape);
  Status allocate_memories();
  Status replace(Block& block, bmmem_t memory, uint64_t bytes);
  Status prepare(size_t variety);
  void name_tensors(const bmodel::Variety& variety, const CpuEnvironment& memories);
  bool matches(const bmodel::Variety& variety, std::span<const shape_t> shapes) const;
  Error unknown_shape(std::span<const shape_t> shapes) const;
  Result<bmmem_t> view(bmmem_t& cached, uint64_t offset, uint64_t bytes);
  uint64_t weight_bytes(size_t variety) const;
  Block& weight_block(size_t variety) { return weights_[model_.varieties[variety].weight_index]; }

  bmctx_t context_;
  std::shared_ptr<OpenDevice> device_;
  bmodel::Model model_;
  // False: raw parts, which take any shape of the right size.
  bool has_shape_;
  OperatorLibraries libraries_;
  std::vector<std::unique_ptr<VarietyInfo>> infos_;
  std::vector<bmnet_input_info_t> input_infos_;
  std::vector<bmnet_output_info_t> output_infos_;
  bmnet_model_info_t model_info_{};
  std::optional<size_t> selected_;
  std::vector<Block> weights_;  // one per weight blob
  Block neuron_;
  std::vector<Prepared> prepared_;
  // Memory was imported after the load of commands.
  bool commands_stale_ = false;
};

Status cleanup_network(bmnet_t net);

}  // namespace tputwin::rt
