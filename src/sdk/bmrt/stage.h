// Stage: a net compiled for one set of shapes, on a card: its memories, and its commands once they
// are decoded.
#pragma once

#include <bmdef.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "isa/streams/stream.h"
#include "machine/planned_program.h"
#include "sdk/bmrt/memory.h"
#include "sdk/bmrt/storage.h"
#include "sdk/bmrt/subnet_run.h"

namespace tputwin::bmrt {

// Maps compiled addresses [compiled, +bytes) to `address`. `tail` more bytes belong to no tensor:
// compilers write there, a little beyond the memory that they reserve.
struct Region {
  uint64_t compiled, bytes, address;
  bool writable;
  uint64_t tail = 0;
};

// Returns the bytes of memory that a block of neurons needs: up to the end of the page after the
// last.
uint64_t neuron_block_bytes(uint64_t neurons);

// An input or output of a stage.
struct StageTensor {
  const bmodel::bm168x::TensorT* file;
  uint64_t address;  // on the device; 0 if it has none
  bm_shape_t shape;

  uint64_t images() const { return shape.num_dims > 0 ? static_cast<uint64_t>(shape.dims[0]) : 1; }
  uint64_t elements() const;  // of an image
  uint64_t bits() const;
  // Returns the bytes in a storage mode of the user, and on the device.
  uint64_t bytes(bm_store_mode_t mode) const;
  uint64_t device_bytes() const { return stored_bytes(*file); }
};

class Stage {
 public:
  // `neurons` is as large as that of the stage. `io` provides a block for inputs and outputs that
  // have memory of their own.
  static Result<std::unique_ptr<Stage>> load(const bmodel::bm168x::File& file,
                                             const bmodel::bm168x::NetT& net, size_t index,
                                             std::shared_ptr<const Coefficients> coefficients,
                                             std::shared_ptr<Block> neurons, BlockSource& io);
  // Memory of inputs and outputs that is in neither neurons nor weights.
  struct IoLayout {
    uint64_t compiled, bytes;
    // Address mode 4: an address in the compiled space for each input and output, after all others.
    std::vector<uint64_t> tensors;
  };
  static IoLayout io_layout(const bmodel::bm168x::NetT& net,
                            const bmodel::bm168x::NetParameterT& stage);

  const std::vector<StageTensor>& inputs() const { return inputs_; }
  const std::vector<StageTensor>& outputs() const { return outputs_; }
  // Returns the neuron memory; no bytes if it has none.
  Region neurons() const;
  const Coefficients* coefficients() const { return coefficients_.get(); }
  struct Weight {
    // "weights", or "weights NAME" for a named part.
    std::string name;
    uint64_t address, bytes;
  };
  // Returns all weights, then the named parts.
  std::vector<Weight> weights() const;

  // The instructions of all command groups of all subnets, each in the order of execution. The
  // first call of groups() decodes them. An error states why the stage cannot run.
  using Groups = std::vector<std::unique_ptr<PlannedProgram>>;
  Result<const Groups*> groups();
  // Number of groups of each subnet, in the order of execution; valid after groups().
  const std::vector<size_t>& subnet_sizes() const { return subnet_sizes_; }
  // Executes the groups, in a chain of subnets on the TPU.
  Status run(Device& device);

  // Returns the subnets if they are more than a chain on the TPU. Returns nullptr otherwise, or
  // before groups().
  const SubnetProgram* subnets() const { return subnets_ ? &*subnets_ : nullptr; }
  // Executes the groups of one subnet.
  Status run_subnet(Device& device, size_t subnet);
  // Returns the device address of a tensor of the file, 0 if no memory of the net holds it.
  uint64_t place_of(const bmodel::bm168x::TensorT& tensor, bool to_write) const;

 private:
  Stage(const bmodel::bm168x::File& file, const bmodel::bm168x::NetT& net, size_t index)
      : file_(file), net_(net), index_(index) {}
  const bmodel::bm168x::NetParameterT& parameter() const { return *net_.parameter[index_]; }
  Status place(BlockSource& io);
  uint64_t compiled_address(const bmodel::bm168x::TensorT& tensor) const;
  StageTensor tensor(const bmodel::bm168x::TensorT& tensor) const;
  uint64_t relocated(uint64_t compiled) const;
  Result<Groups> decode_all();
  // Findings of decoding other than the instructions.
  struct Met {
    isa::UnconfirmedForms unconfirmed;
    // Writes to memory that belongs to no tensor: their number and the first of them.
    uint64_t writes = 0;
    std::optional<Error> first_write;
  };
  Result<Groups> decode_groups(const std::vector<const bmodel::bm168x::CmdGroupT*>& list, Met& met);
  Status reserve_scratch(const std::vector<const bmodel::bm168x::CmdGroupT*>& list);
  uint64_t first_compiled() const;
  Result<std::vector<const bmodel::bm168x::CmdGroupT*>> chain() const;
  Result<std::vector<const bmodel::bm168x::CmdGroupT*>> groups_of_subnets();
  Result<std::vector<Instruction>> decode(const bmodel::bm168x::CmdGroupT& group,
                                          const isa::StreamOptions& options) const;
  Status patch(const bmodel::bm168x::CmdGroupT& group, std::vector<uint8_t>& gdma) const;
  bool holds(uint64_t address, uint64_t bytes, bool to_write) const;
  bool is_nothing(uint64_t address, uint64_t bytes) const;
  Status check_written(const Instruction& instruction, Met& met) const;
  Status check_tensors(const std::vector<StageTensor>& tensors, bool are_written) const;
  std::string name() const;
  std::string subnet_name(const bmodel::bm168x::SubNetT& subnet) const;
  Status run_groups(Device& device, size_t first, size_t end);

  const bmodel::bm168x::File& file_;
  const bmodel::bm168x::NetT& net_;
  size_t index_;
  std::shared_ptr<const Coefficients> coefficients_;
  std::shared_ptr<Block> neurons_, io_, scratch_;
  std::vector<Region> regions_;
  std::vector<uint64_t> relocated_io_;  // IoLayout::tensors
  std::vector<StageTensor> inputs_, outputs_;

  std::mutex mutex_;
  std::optional<Result<Groups>> groups_;
  std::optional<SubnetProgram> subnets_;
  std::vector<size_t> first_group_;  // of each subnet, and after the last
  mutable std::vector<size_t> subnet_sizes_;
  mutable std::vector<std::string> group_names_;  // names of their subnets
};

}  // namespace tputwin::bmrt
