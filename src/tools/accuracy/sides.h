// The two sides of an evaluation: the float net, and the model on the simulated chip. Both give the
// scores of batches of samples.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bmnet/float/execute.h"
#include "tools/eval.h"
#include "tools/net.h"

namespace tputwin::tools {

// The values of a batch for each input.
using EvalSamples = std::vector<std::vector<float>>;
// The scores of a batch, sample by sample.
using EvalScores = std::vector<double>;

// Returns the samples in a run: the first extent of the inputs. If they differ, as those of a state
// do, a run has one sample, which is all of each input.
template <class Shapes>
size_t batch_of(const Shapes& shapes) {
  const auto first = [](const auto& shape) { return shape.empty() ? 1 : shape.front(); };
  for (const auto& shape : shapes)
    if (first(shape) != first(shapes[0])) return 1;
  return static_cast<size_t>(first(shapes[0]));
}

class FloatSide {
 public:
  // `output` names the scores; empty: the first output.
  Status open(const net::Network& network, const std::string& output);
  size_t batch() const { return batch_of(shapes_); }
  // Returns the number of values of each input.
  std::vector<size_t> values() const;
  const std::vector<std::string>& input_names() const { return names_; }
  // Returns true if the net has an output of the given name.
  bool has_output() const { return has_output_; }
  Result<EvalScores> run(const EvalSamples& samples);

 private:
  std::unique_ptr<net::FloatExecutor> executor_;
  std::vector<std::string> inputs_, names_;
  std::vector<std::vector<int64_t>> shapes_;
  std::string output_;
  bool has_output_ = false;
};

// A model of any chip on a device of its own.
class ModelSide {
 public:
  // BM1684 and BM1684X: the first stage that has commands, unless one is chosen.
  Status open(std::shared_ptr<const bmodel::OpenFile> file, const EvalOptions& options);
  const Net& net() const { return *net_; }
  const std::vector<NetTensor>& inputs() const { return net_->inputs(); }
  size_t batch() const;
  bool has_output() const { return has_output_; }
  // `samples` are in the order of the model's inputs.
  Result<EvalScores> run(const EvalSamples& samples);

 private:
  std::unique_ptr<Net> net_;
  size_t output_ = 0;
  bool has_output_ = false;
};

}  // namespace tputwin::tools
