// StageMemory: the memories of a stage on a card, and the addresses that they have there.
#pragma once

#include <bmdef.h>

#include <memory>
#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"
#include "sdk/bmrt/memory.h"
#include "sdk/bmrt/storage.h"

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

// A weight of a stage: "weights", or "weights NAME" for a named part.
struct StageWeight {
  std::string name;
  uint64_t address, bytes;
};

// Memory of inputs and outputs that is in neither neurons nor weights.
struct IoLayout {
  uint64_t compiled, bytes;
  // Address mode 4: an address in the compiled space for each input and output, after all others.
  std::vector<uint64_t> tensors;
};
IoLayout io_layout(const bmodel::bm168x::NetT& net, const bmodel::bm168x::NetParameterT& stage);

class StageMemory {
 public:
  // `neurons` is as large as that of the stage.
  StageMemory(const bmodel::bm168x::NetT& net, const bmodel::bm168x::NetParameterT& stage,
              std::shared_ptr<const Coefficients> coefficients, std::shared_ptr<Block> neurons);

  // Placement: stage_placement.cc.

  // Places weights, io memory and neurons. `io` provides a block for inputs and outputs that have
  // memory of their own.
  Status place(BlockSource& io);
  // Allocates a block for the compiled addresses [from, to). It belongs to no tensor.
  Status add_scratch(uint64_t from, uint64_t to);
  const Chip& chip() const { return neurons_->card()->chip(); }
  // Returns the neuron memory; no bytes if it has none.
  Region neurons() const;
  const Coefficients* coefficients() const { return coefficients_.get(); }
  // Returns all weights, then the named parts.
  std::vector<StageWeight> weights() const;

  // Relocation: stage_relocation.cc.

  // Returns the device address of a compiled one. Addresses outside all regions are not changed:
  // unused fields of a command may hold any value.
  uint64_t relocated(uint64_t compiled) const;
  // Returns the lowest compiled address of the net's memories.
  uint64_t first_compiled() const;
  // Returns a tensor of the file.
  StageTensor tensor(const bmodel::bm168x::TensorT& tensor) const;
  std::vector<StageTensor> inputs() const;
  std::vector<StageTensor> outputs() const;
  // Returns true if the group lists addresses of inputs and outputs in its GDMA commands: address
  // mode 4. patch() sets them; `place` names the stage in errors.
  bool needs_patch(const bmodel::bm168x::CmdGroupT& group) const;
  Status patch(const bmodel::bm168x::CmdGroupT& group, std::vector<uint8_t>& gdma,
               const std::string& place) const;

  // Returns the regions, for checks of bounds.
  const std::vector<Region>& regions() const { return regions_; }

 private:
  uint64_t compiled_address(const bmodel::bm168x::TensorT& tensor) const;
  std::vector<StageTensor> tensors(
      const std::vector<std::unique_ptr<bmodel::bm168x::TensorT>>& list, size_t first) const;

  const bmodel::bm168x::NetT& net_;
  const bmodel::bm168x::NetParameterT& stage_;
  std::shared_ptr<const Coefficients> coefficients_;
  std::shared_ptr<Block> neurons_, io_, scratch_;
  std::vector<Region> regions_;
  std::vector<uint64_t> relocated_io_;  // IoLayout::tensors
};

}  // namespace tputwin::bmrt
