// tputwin eval: how right a float net and its int8 model are over labelled samples, and where they
// part ways.
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
  uint64_t samples = 0;          // only the first so many; 0: all
  std::string output;            // the scores, when the model has several outputs
  std::string plugin_directory;  // of CPU operators, besides those the model carries
  bool progress = false;         // draw a bar on stderr when it takes long
  std::function<void(uint64_t done, uint64_t total)> on_progress;
  std::string checkpoint;  // of evaluate_together(): the file to go on from
};

struct EvalReport {
  struct Side {
    uint64_t right = 0;
    double seconds = 0;
  };
  uint64_t samples = 0, batch = 0;
  Side fp32, int8;
  uint64_t both_right = 0, float_only = 0, int8_only = 0, both_wrong = 0;
  uint64_t same_class = 0;  // both say the same, right or wrong

  EvalReport& operator+=(const EvalReport& other);
};

// The float net, and the model on the simulated chip in its first variety. Both have one input; a
// sample's class is where the scores are highest, the first of equal ones.
Result<EvalReport> evaluate(const net::Network& net, std::span<const uint8_t> model,
                            const net::DataSet& data, const EvalOptions& options);
std::string report_text(const EvalReport& report);

// The same of files: the float net in the shapes of the model's first variety.
struct EvalRequest {
  std::string prototxt, caffemodel;  // float
  std::string model;
  std::string data;
  net::DataOptions data_options;
  EvalOptions options;
};
Result<EvalReport> evaluate_files(const EvalRequest& request);

// The same in units of some batches, which any process may do: the sum of their reports is that of
// all, in any order.
class Evaluation {
 public:
  static Result<std::unique_ptr<Evaluation>> open(const EvalRequest& request);
  ~Evaluation();

  uint64_t units() const;
  uint64_t samples() const;
  Result<EvalReport> unit(uint64_t number);
  Result<EvalReport> all(const EvalOptions& options);  // with its progress

 private:
  friend Result<EvalReport> evaluate(const net::Network& net, std::span<const uint8_t> model,
                                     const net::DataSet& data, const EvalOptions& options);
  struct Parts;
  explicit Evaluation(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// A report as a line of numbers, and back: what units of other processes say.
std::string line_of(const EvalReport& report);
Result<EvalReport> report_of(const std::string& line);

// Its units as those of a campaign, which is used while the evaluation lives; their sum.
Campaign campaign_of(Evaluation& evaluation, const EvalRequest& request);
Result<EvalReport> sum_of(const std::vector<std::string>& lines);

// Of a campaign: evaluate_files() by all processes that mpirun started; nothing in those that are
// not the leader.
Result<std::optional<EvalReport>> evaluate_together(const EvalRequest& request);

// What the int8 interpreter makes of a tensor, beside the float net.
struct TensorComparison {
  std::string layer, type, tensor;
  float threshold = 0;
  double cosine = 0;               // of the angle between all float and all int8 values
  double sqnr_db = 0;              // power of the float values over that of the differences
  double clipped = 0;              // part of the float values beyond the threshold
  size_t sample = 0, element = 0;  // where they differ most
  float expected = 0, actual = 0;  // there
};

// Every tensor that both nets have under one name, in order. `int8` is the quantized net, with its
// integers; both nets have batch 1.
Result<std::vector<TensorComparison>> compare_layers(
    const net::Network& fp32, const net::Network& int8,
    const std::vector<net::LayerIntegers>& integers, const net::DataSet& data, uint64_t samples);
std::string comparison_text(const std::vector<TensorComparison>& rows);

}  // namespace tputwin::tools
