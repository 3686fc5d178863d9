// Outputs that concatenations join from parts with very different ranges.
#include "bmnet/integers/float_outputs.h"

#include <algorithm>

namespace tputwin::net {
namespace {

size_t readers(const Network& network, const std::string& tensor) {
  size_t count = 0;
  for (const TensorOp& op : network.ops)
    count += static_cast<size_t>(std::ranges::count(op.bottom(), tensor));
  return count;
}

class Search {
 public:
  Search(const Network& network, const std::string& output) : network_(network) {
    found_.output = output;
    visit(output);
  }
  bool has_concat() const { return has_concat_; }
  JoinedOutput take() { return std::move(found_); }

 private:
  void visit(const std::string& tensor) {
    const TensorOp* op = network_.producer(tensor);
    const bool joins = op != nullptr && is(*op, Op::concat);
    const bool moves = op != nullptr && has_trait(*op, trait::moves_elements) &&
                       op->top_size() == 1 && op->bottom_size() == 1;
    if ((!joins && !moves) || holds_floats(*op, 0) || readers(network_, tensor) != 1) {
      if (std::ranges::find(found_.parts, tensor) == found_.parts.end())
        found_.parts.push_back(tensor);
      return;
    }
    has_concat_ = has_concat_ || joins;
    found_.layers.insert(op->name());
    for (const std::string& bottom : op->bottom()) visit(bottom);
  }

  const Network& network_;
  JoinedOutput found_;
  bool has_concat_ = false;
};

}  // namespace

std::vector<JoinedOutput> joined_outputs(const Network& network) {
  std::vector<JoinedOutput> result;
  for (const std::string& output : network.outputs()) {
    Search search(network, output);
    if (search.has_concat()) result.push_back(search.take());
  }
  return result;
}

bool is_mixed(const JoinedOutput& output,
              const std::function<float(const std::string& tensor)>& threshold) {
  float least = threshold(output.parts.front()), most = least;
  for (const std::string& part : output.parts) {
    least = std::min(least, threshold(part));
    most = std::max(most, threshold(part));
  }
  return most > kMixedRatio * least;
}

}  // namespace tputwin::net
