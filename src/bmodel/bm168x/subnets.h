// The subnets of a stage: their order of execution, and the tensors between them.
#pragma once

#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"

namespace tputwin::bmodel::bm168x {

// Returns true if the stage has no decisions and no work for the host: it is a chain of subnets on
// the TPU, or has no subnets.
bool is_tpu_chain(const NetParameterT& stage);

struct SubnetGraph {
  static constexpr size_t kEnd = SIZE_MAX;

  struct Node {
    const SubNetT* subnet;
    SubnetMode mode;
    std::vector<size_t> inputs, outputs;  // indices of tensors
    // Indices of nodes, or kEnd. A switch has one per branch, other nodes have one.
    std::vector<size_t> next;
  };
  struct Tensor {
    const TensorT* file;  // first occurrence of the name
    bool is_constant;     // part of the weights
  };

  const NetParameterT* stage;
  std::vector<Node> nodes;              // order of the file; the first one begins
  std::vector<Tensor> tensors;          // one for each name
  std::vector<size_t> inputs, outputs;  // tensors of the stage
};

// Returns the graph of a stage, checked. Followers, branches, selections and tensors must exist.
// Tensors with one name must have one type. Each input of a subnet must be written by another
// subnet, the user or the file. The end must be reachable from every node that a run can reach.
// Dynamic subnets are an error.
Result<SubnetGraph> subnet_graph(const NetParameterT& stage);

// Operators with numbers from here on belong to users, those below to the vendor.
inline constexpr int32_t kFirstUserNumber = 10000;
// Returns the text of a tputwin operator, whose parameters begin with "tputwin-host-operator-1".
// Returns an empty text for other operators (docs/host-operators.md).
std::string own_operator_text(int32_t op_type, std::span<const uint8_t> parameters);

}  // namespace tputwin::bmodel::bm168x
