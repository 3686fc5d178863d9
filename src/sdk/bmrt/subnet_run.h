// A run of subnets that are more than a chain on the TPU: host operators, switches, merges.
#pragma once

#include <bmdef.h>

#include <vector>

#include "bmodel/bm168x/subnets.h"
#include "host/operators.h"
#include "sdk/bmrt/host_libraries.h"

namespace tputwin::bmrt {

// Memory and layout of a tensor of the user, in host or device memory.
struct UserTensor {
  uint8_t* memory;
  bm_store_mode_t storage = BM_STORE_1N;
};

// The subnets of a stage, and the operator of each CPU subnet.
struct SubnetProgram {
  bmodel::bm168x::SubnetGraph graph;
  // By node; empty for other nodes than CPU subnets.
  std::vector<host::Operator> operators;

  // `host_libraries` is as in open_host_libraries().
  static Result<SubnetProgram> make(const bmodel::bm168x::File& file,
                                    const bmodel::bm168x::NetParameterT& stage,
                                    std::string_view host_libraries = {});
};

// Operations of the stage and its device that a run needs.
class SubnetDevice {
 public:
  virtual ~SubnetDevice() = default;
  // Returns the memory of a tensor of the file; nullptr if it has none on the device, or none to
  // write.
  virtual uint8_t* place(const bmodel::bm168x::TensorT& tensor, bool to_write) = 0;
  // Prepares bytes that are read or written next. They may be the device's, or memory of the host.
  // Bytes with padding, which may be undefined, are not dense.
  virtual void before_read(const uint8_t* /*bytes*/, uint64_t /*count*/, bool /*is_dense*/) {}
  virtual void before_write(const uint8_t* /*bytes*/, uint64_t /*count*/) {}
  // Executes the commands of a TPU subnet.
  virtual Status run_commands(size_t node) = 0;
};

// Runs from the first subnet to the end. Returns the shapes of the outputs, which have at most the
// elements that they were compiled for.
Result<std::vector<bm_shape_t>> run_subnets(const SubnetProgram& program, SubnetDevice& device,
                                            const std::vector<UserTensor>& inputs,
                                            const std::vector<UserTensor>& outputs);

}  // namespace tputwin::bmrt
