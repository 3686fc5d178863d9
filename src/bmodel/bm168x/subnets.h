// The subnets of a stage as what runs after what, and the tensors between them.
#pragma once

#include <string>
#include <vector>

#include "bmodel/bm168x/model.h"

namespace tputwin::bmodel::bm168x {

// Whether there is nothing to decide and nothing for the host: a chain of subnets on the TPU, or no
// subnets.
bool is_tpu_chain(const NetParameterT& stage);

struct SubnetGraph {
  static constexpr size_t kEnd = SIZE_MAX;

  struct Node {
    const SubNetT* subnet;
    SubnetMode mode;
    std::vector<size_t> inputs, outputs;  // tensors
    std::vector<size_t> next;             // nodes, or kEnd; of a switch by branch, else one
  };
  struct Tensor {
    const TensorT* file;  // where the name is met first
    bool is_constant;     // part of the weights
  };

  const NetParameterT* stage;
  std::vector<Node> nodes;              // as in the file; the first begins
  std::vector<Tensor> tensors;          // one for each name
  std::vector<size_t> inputs, outputs;  // of the stage
};

// The graph of a stage, checked: followers, branches, selections and tensors are there, tensors of
// one name are of one type, what a subnet takes is written by another, the user or the file, and
// the end can be reached from wherever a run can come. Dynamic subnets are an error.
Result<SubnetGraph> subnet_graph(const NetParameterT& stage);

// Numbers of operators from here on are of users, those below of the maker.
inline constexpr int32_t kFirstUserNumber = 10000;
// The text of an operator of ours, whose parameters begin with "tputwin-host-operator-1"; empty if
// it is another (docs/host-operators.md).
std::string own_operator_text(int32_t op_type, std::span<const uint8_t> parameters);

}  // namespace tputwin::bmodel::bm168x
