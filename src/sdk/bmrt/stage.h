// Stage: a net compiled for one set of shapes, on a card: its memories, and its commands once they
// are decoded.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "machine/device.h"
#include "sdk/bmrt/stage_decode.h"
#include "sdk/bmrt/stage_memory.h"

namespace tputwin::bmrt {

class Stage {
 public:
  // `neurons` is as large as that of the stage. `io` provides a block for inputs and outputs that
  // have memory of their own. `host_libraries` is as in open_host_libraries().
  static Result<std::unique_ptr<Stage>> load(const bmodel::bm168x::File& file,
                                             const bmodel::bm168x::NetT& net, size_t index,
                                             std::shared_ptr<const Coefficients> coefficients,
                                             std::shared_ptr<Block> neurons, BlockSource& io,
                                             const std::string& host_libraries);

  const std::vector<StageTensor>& inputs() const { return inputs_; }
  const std::vector<StageTensor>& outputs() const { return outputs_; }
  const StageMemory& memory() const { return memory_; }

  // The instructions of all command groups of all subnets, each in the order of execution. The
  // first call of groups() decodes them. An error states why the stage cannot run.
  using Groups = std::vector<std::unique_ptr<PlannedProgram>>;
  Result<const Groups*> groups();
  // Number of groups of each subnet, in the order of execution; valid after groups().
  const std::vector<size_t>& subnet_sizes() const { return programs_->value().subnet_sizes; }
  // Executes the groups, in a chain of subnets on the TPU.
  Status run(Device& device);

  // Returns the subnets if they are more than a chain on the TPU. Returns nullptr otherwise, or
  // before groups().
  const SubnetProgram* subnets() const;
  // Executes the groups of one subnet.
  Status run_subnet(Device& device, size_t subnet);
  // Returns the device address of a tensor of the file, 0 if no memory of the net holds it.
  uint64_t place_of(const bmodel::bm168x::TensorT& tensor, bool to_write) const;

 private:
  Stage(const bmodel::bm168x::File& file, const bmodel::bm168x::NetT& net, size_t index,
        const std::string& host_libraries, StageMemory memory)
      : file_(file),
        net_(net),
        index_(index),
        host_libraries_(host_libraries),
        memory_(std::move(memory)) {}
  Result<const StagePrograms*> programs();

  const bmodel::bm168x::File& file_;
  const bmodel::bm168x::NetT& net_;
  size_t index_;
  std::string host_libraries_;
  StageMemory memory_;
  std::vector<StageTensor> inputs_, outputs_;

  std::mutex mutex_;
  std::optional<Result<StagePrograms>> programs_;
};

}  // namespace tputwin::bmrt
