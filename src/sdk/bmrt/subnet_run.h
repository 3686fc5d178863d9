// A run of subnets that are more than a chain on the TPU: operators of the host, switches, merges.
#pragma once

#include <bmdef.h>

#include <vector>

#include "bmodel/bm168x/subnets.h"
#include "host/operators.h"
#include "sdk/bmrt/host_libraries.h"

namespace tputwin::bmrt {

// Where a tensor of the user lies, host or device memory, and how.
struct UserTensor {
  uint8_t* memory;
  bm_store_mode_t storage = BM_STORE_1N;
};

// The subnets of a stage, and what each CPU subnet computes.
struct SubnetProgram {
  bmodel::bm168x::SubnetGraph graph;
  std::vector<host::Operator> operators;  // by node; of others than CPU subnets without a body

  static Result<SubnetProgram> make(const bmodel::bm168x::File& file,
                                    const bmodel::bm168x::NetParameterT& stage);
};

// What a run asks of the stage and its device.
class SubnetDevice {
 public:
  virtual ~SubnetDevice() = default;
  // The memory of a tensor of the file; nullptr if it has none on the device, or none to write.
  virtual uint8_t* place(const bmodel::bm168x::TensorT& tensor, bool to_write) = 0;
  // Executes the commands of a TPU subnet.
  virtual Status run_commands(size_t node) = 0;
};

// Runs from the first subnet to the end. Returns the shapes of the outputs, which have at most the
// elements that they were compiled for.
Result<std::vector<bm_shape_t>> run_subnets(const SubnetProgram& program, SubnetDevice& device,
                                            const std::vector<UserTensor>& inputs,
                                            const std::vector<UserTensor>& outputs);

}  // namespace tputwin::bmrt
