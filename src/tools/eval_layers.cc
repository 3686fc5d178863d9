// Evaluation layer by layer, declared in eval.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "base/errors/bmnet.h"
#include "bmnet/float/execute.h"
#include "bmnet/reference/execute.h"
#include "tools/eval.h"
#include "tools/net.h"

namespace tputwin::tools {
namespace {

// Sums over all samples of one tensor.
struct Sums {
  double product = 0, float_square = 0, int8_square = 0, error_square = 0, worst = -1;
  uint64_t values = 0, clipped = 0;
};

struct Row {
  TensorComparison comparison;
  bool is_float = false;  // float also in the int8 net
  Sums sums;
};

// Returns the tensors that both nets have, in the order of the int8 net.
std::vector<Row> rows_of(const net::Network& fp32, const net::Network& int8,
                         const std::vector<net::LayerIntegers>& integers) {
  std::vector<Row> rows;
  for (size_t i = 0; i < int8.ops.size(); ++i) {
    const net::TensorOp& op = int8.ops[i];
    for (int t = 0; t < op.top_size(); ++t) {
      const net::TensorShape* shape = fp32.shape_of(op.top(t));
      if (!shape || net::count(*shape) != net::count(op.output_shape(t))) continue;
      Row row;
      row.comparison.layer = op.name();
      row.comparison.type = op.type();
      row.comparison.tensor = op.top(t);
      row.is_float = op.output_shape(t).data_type_size() == sizeof(float);
      const auto& thresholds = integers[i].threshold_y;
      if (static_cast<size_t>(t) < thresholds.size())
        row.comparison.threshold = thresholds[static_cast<size_t>(t)];
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<float> real_values(const net::TensorBytes& bytes, const Row& row) {
  std::vector<float> values;
  if (row.is_float) {
    values.resize(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }
  for (uint8_t byte : bytes)
    values.push_back(static_cast<float>(static_cast<int8_t>(byte)) * row.comparison.threshold /
                     128);
  return values;
}

void add(Row& row, const std::vector<float>& expected, const std::vector<float>& actual,
         size_t sample) {
  Sums& sums = row.sums;
  const size_t count = std::min(expected.size(), actual.size());
  for (size_t i = 0; i < count; ++i) {
    const double f = expected[i], q = actual[i];
    const bool same = f == q || (std::isnan(f) && std::isnan(q));
    const double error = same ? 0 : std::isnan(f - q) ? INFINITY : std::abs(f - q);
    sums.product += f * q;
    sums.float_square += f * f;
    sums.int8_square += q * q;
    sums.error_square += error * error;
    sums.clipped += !row.is_float && std::abs(f) > row.comparison.threshold;
    if (error <= sums.worst) continue;
    sums.worst = error;
    row.comparison.sample = sample;
    row.comparison.element = i;
    row.comparison.expected = expected[i];
    row.comparison.actual = actual[i];
  }
  sums.values += count;
}

void finish(Row& row) {
  const Sums& sums = row.sums;
  TensorComparison& c = row.comparison;
  const double lengths = std::sqrt(sums.float_square) * std::sqrt(sums.int8_square);
  // Two tensors of zeros agree.
  c.cosine = lengths > 0 ? sums.product / lengths : (sums.error_square == 0 ? 1 : 0);
  c.sqnr_db = 10 * std::log10(sums.float_square / sums.error_square);
  if (sums.error_square == 0) c.sqnr_db = INFINITY;
  c.clipped =
      static_cast<double>(sums.clipped) / static_cast<double>(std::max<uint64_t>(sums.values, 1));
}

// Returns the input of the int8 net; floats without a threshold.
net::TensorBytes quantized(const std::vector<float>& values, float threshold) {
  net::TensorBytes bytes;
  if (threshold == 0) {
    bytes.resize(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  for (float x : values) bytes.push_back(static_cast<uint8_t>(tools::quantized(x, threshold)));
  return bytes;
}

// Returns the threshold of an input; 0 if it holds floats.
Result<float> input_threshold(const net::Network& int8,
                              const std::vector<net::LayerIntegers>& integers,
                              const std::string& input) {
  for (size_t i = 0; i < int8.ops.size(); ++i)
    if (is(int8.ops[i], net::Op::start))
      for (int t = 0; t < int8.ops[i].top_size(); ++t)
        if (int8.ops[i].top(t) == input && !integers[i].threshold_y.empty())
          return net::holds_floats(int8.ops[i], t)
                     ? 0
                     : integers[i].threshold_y[static_cast<size_t>(t)];
  return Error(errors::net_table_entry)
      .in(int8.name)
      .detail("the input " + input + " has no threshold");
}

// A sample of every input, in float and in int8.
struct Sample {
  std::map<std::string, net::Blob> floats;
  std::map<std::string, net::TensorBytes> bytes;
};

Result<Sample> load_sample(const net::Network& fp32, const std::vector<const net::DataSet*>& data,
                           const std::vector<float>& thresholds, size_t index) {
  Sample sample;
  const auto inputs = fp32.inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const net::TensorShape& shape = *fp32.shape_of(inputs[i]);
    net::Blob& blob = sample.floats[inputs[i]];
    blob.shape = net::dims(shape);
    blob.data.resize(static_cast<size_t>(net::count(shape)));
    TW_RETURN_IF_ERROR(data[i]->sample(index, blob.data));
    sample.bytes[inputs[i]] = quantized(blob.data, thresholds[i]);
  }
  return sample;
}

}  // namespace

Result<std::vector<TensorComparison>> compare_layers(
    const net::Network& fp32, const net::Network& int8,
    const std::vector<net::LayerIntegers>& integers, const std::vector<const net::DataSet*>& data,
    uint64_t samples) {
  if (fp32.inputs() != int8.inputs() || fp32.inputs().size() != data.size())
    return Error(errors::net_data_shape).in(fp32.name).detail("both nets have the same inputs");
  std::vector<float> thresholds;
  for (const std::string& input : fp32.inputs()) {
    TW_ASSIGN_OR_RETURN(threshold, input_threshold(int8, integers, input));
    thresholds.push_back(threshold);
  }
  TW_ASSIGN_OR_RETURN(executor, net::FloatExecutor::create(fp32));
  std::vector<Row> rows = rows_of(fp32, int8, integers);
  for (size_t s = 0; s < std::min<uint64_t>(samples, data.front()->size()); ++s) {
    TW_ASSIGN_OR_RETURN(sample, load_sample(fp32, data, thresholds, s));
    TW_ASSIGN_OR_RETURN(actual, net::run_int8(int8, integers, sample.bytes));
    std::map<std::string, std::vector<float>> expected;
    auto keep = [&](const std::string& tensor, const net::Blob& value) {
      expected[tensor] = value.data;
    };
    TW_RETURN_IF_ERROR(executor->run(sample.floats, keep).status());
    for (Row& row : rows) {
      const std::string& tensor = row.comparison.tensor;
      add(row, expected[tensor], real_values(actual[tensor], row), s);
    }
  }
  std::vector<TensorComparison> comparisons;
  for (Row& row : rows) {
    finish(row);
    comparisons.push_back(std::move(row.comparison));
  }
  return comparisons;
}

std::string comparison_text(const std::vector<TensorComparison>& rows) {
  std::string text = fmt::format("{:<28} {:<18} {:>10} {:>8} {:>8} {:>8}  worst: float, int8\n",
                                 "layer", "type", "threshold", "cosine", "SQNR dB", "clipped");
  for (const TensorComparison& r : rows)
    text += fmt::format(
        "{:<28} {:<18} {:10.4f} {:8.5f} {:8.2f} {:6.2f} %  sample {} [{}]: {:.4f}, {:.4f}\n",
        r.layer, r.type, r.threshold, r.cosine, r.sqnr_db, 100 * r.clipped, r.sample, r.element,
        r.expected, r.actual);
  return text;
}

}  // namespace tputwin::tools
