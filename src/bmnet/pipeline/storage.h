// Tensors that share bytes of neuron memory: reshaped tensors, and parts of concatenations that
// their producers write in place.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bmnet/integers/quantized_net.h"
#include "bmnet/lowering/positions.h"

namespace tputwin::net {

class Storage {
 public:
  // If join_concat, inputs of a concatenation are stored in its result wherever possible. Otherwise
  // they are copied. The samples of the tensors in `contiguous` follow each other.
  Storage(const QuantizedNet& net, const std::set<std::string>& contiguous, bool join_concat,
          bool keep_all);

  const std::string& root(const std::string& tensor) const;
  uint64_t bytes(const std::string& tensor) const;
  uint64_t sample_bytes(const std::string& tensor) const;
  // Returns the indices of the ops that read the tensor under this name.
  const std::vector<size_t>& readers(const std::string& tensor) const;
  // Returns true if the bytes of the tensor belong to another tensor, too.
  bool is_shared(const std::string& tensor) const { return parents_.count(tensor) != 0; }
  // Returns true if input `from` is stored in the concatenation `to`.
  bool is_inside(const std::string& from, const std::string& to) const {
    return joined_.count({from, to}) != 0;
  }
  // Adds the positions of all tensors that are stored inside others.
  void place_parts(TensorPositions& positions) const;

 private:
  struct Parent {
    std::string tensor;
    uint64_t offset = 0;
  };
  void find_readers();
  void join_reshapes();
  void find_whole(const std::set<std::string>& contiguous);
  void join_concats();
  void join(const TensorOp& op, int index, uint64_t offset);
  int64_t samples(const std::string& tensor) const;

  const QuantizedNet& net_;
  std::map<std::string, Parent> parents_;
  std::map<std::string, std::vector<size_t>> readers_;
  std::set<std::string> whole_;  // roots whose samples must be contiguous
  std::set<std::string> fixed_;  // roots that must not be inside others
  std::set<std::pair<std::string, std::string>> joined_;
};

}  // namespace tputwin::net
