// tputwin eval: accuracy of a float net and its model on labelled samples, and the layers where
// they differ.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bmnet/data/data_set.h"
#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"
#include "bmodel/bmodel.h"
#include "tools/campaign/campaign.h"

namespace tputwin::tools {

struct EvalOptions {
  uint64_t samples = 0;  // number of samples from the first on; 0: all
  // Output with the scores, if the model has several.
  std::string output;
  // BM1684 and BM1684X: the net if the file has several, and its stage; default: the first one that
  // has commands.
  std::string net;
  std::optional<size_t> stage;
  // Devices that run batches of the model at the same time.
  unsigned devices = 1;
  // Plugins of CPU operators, in addition to those in the model.
  std::string plugin_directory;
  bool progress = false;  // draw a bar on stderr if it takes long
  std::function<void(uint64_t done, uint64_t total)> on_progress;
  // For evaluate_together(): the file to continue from.
  std::string checkpoint;
};

struct EvalReport {
  struct Side {
    uint64_t right = 0, in_top = 0;  // in_top: the label is among the five highest scores
    double seconds = 0;
  };
  uint64_t samples = 0, batch = 0, classes = 0;
  // The model is of the BM1880.
  bool is_int8 = true;
  Side fp32, int8;
  uint64_t both_right = 0, float_only = 0, int8_only = 0, both_wrong = 0;
  uint64_t same_class = 0;  // both give one class, right or wrong

  EvalReport& operator+=(const EvalReport& other);
};

// Evaluates the float net of one input, and the model on the simulated chip in its first variety or
// stage.
// A sample's class is the highest score, the first of equal ones.
Result<EvalReport> evaluate(const net::Network& net, std::span<const uint8_t> model,
                            const net::DataSet& data, const EvalOptions& options);
std::string report_text(const EvalReport& report);

// Files to evaluate: the float net in the shapes of the model's first variety, or its stage.
struct EvalRequest {
  std::string prototxt, caffemodel;  // float
  std::vector<std::string> outputs;  // tensors of ONNX at which the net ends; empty: the file's
  std::string model;
  std::vector<std::string> data;  // as open_labelled() reads it
  net::DataOptions data_options;
  EvalOptions options;
};
Result<EvalReport> evaluate_files(const EvalRequest& request);

// Evaluation: evaluates files in units of some batches, which any process may do. The sum of their
// reports, in any order, is the report of all.
class Evaluation {
 public:
  static Result<std::unique_ptr<Evaluation>> open(const EvalRequest& request);
  ~Evaluation();

  uint64_t units() const;
  uint64_t samples() const;
  Result<EvalReport> unit(uint64_t number);
  Result<EvalReport> all(const EvalOptions& options);  // reports progress

 private:
  friend Result<EvalReport> evaluate(const net::Network& net, std::span<const uint8_t> model,
                                     const net::DataSet& data, const EvalOptions& options);
  struct Parts;
  explicit Evaluation(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Convert a report of a unit to a line of numbers, and back, for other processes.
std::string line_of(const EvalReport& report);
Result<EvalReport> report_of(const std::string& line);

// campaign_of() returns the units as a campaign, which is used while the evaluation exists.
// sum_of() adds their reports.
Campaign campaign_of(Evaluation& evaluation, const EvalRequest& request);
Result<EvalReport> sum_of(const std::vector<std::string>& lines);

// Evaluates files with all processes that mpirun started. Returns nothing in those that are not the
// leader.
Result<std::optional<EvalReport>> evaluate_together(const EvalRequest& request);

// Comparison of a tensor of the int8 interpreter with the float net's.
struct TensorComparison {
  std::string layer, type, tensor;
  float threshold = 0;
  // Cosine of the angle between all float and int8 values.
  double cosine = 0;
  // Power of the float values over that of the differences.
  double sqnr_db = 0;
  // Part of the float values beyond the threshold.
  double clipped = 0;
  size_t sample = 0, element = 0;  // position of the largest difference
  float expected = 0, actual = 0;  // values at that position
};

// Returns every tensor that both nets have under one name, in order. `int8` is the quantized net,
// with its integers. Both nets must have batch 1 and the same inputs; `data` has a data set for
// each.
Result<std::vector<TensorComparison>> compare_layers(
    const net::Network& fp32, const net::Network& int8,
    const std::vector<net::LayerIntegers>& integers, const std::vector<const net::DataSet*>& data,
    uint64_t samples);
std::string comparison_text(const std::vector<TensorComparison>& rows);

}  // namespace tputwin::tools
