// ONNX models as int8 nets, by the same steps as the tools.
#include "bmnet_onnx/calibrated.h"

#include <cmath>
#include <fstream>

#include "bmnet/caffe/import.h"
#include "bmnet/pipeline/prepare.h"
#include "common/temporary_directory.h"

namespace tputwin::test {
namespace {

template <class Message>
void write(const std::string& path, const Message& message) {
  std::ofstream file(path, std::ios::binary);
  message.SerializeToOstream(&file);
}

Result<Int8> prepared(const net::Source& source) {
  TW_ASSIGN_OR_RETURN(ready, net::prepare(source));
  TW_ASSIGN_OR_RETURN(integers, net::resolve(ready.network, ready.table));
  return Int8{std::move(ready.network), std::move(ready.table), std::move(integers)};
}

}  // namespace

Status Samples::sample(size_t index, std::span<float> values) const {
  std::ranges::copy(values_.at(index), values.begin());
  return {};
}

Result<Int8> own_int8(const onnx::ModelProto& model) {
  const tputwin::testing::TemporaryDirectory folder;
  write(folder / "net.onnx", model);
  return prepared({.prototxt = "", .caffemodel = folder / "net.onnx", .table = {}, .import = {}});
}

Result<Calibrated> calibrated(const onnx::ModelProto& model, const Batches& samples,
                              net::ThresholdMethod method) {
  return calibrated(model, samples, [=](net::CalibrationOptions& o) { o.method = method; });
}

Result<Calibrated> calibrated(const onnx::ModelProto& model, const Batches& samples,
                              const std::function<void(net::CalibrationOptions&)>& change) {
  TW_ASSIGN_OR_RETURN(loaded, load(model));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(loaded.net));
  std::vector<Samples> sets;
  for (const std::string& input : network.inputs()) {
    std::vector<std::vector<float>> values;
    for (const Blobs& sample : samples) values.push_back(sample.at(input).data);
    sets.emplace_back(std::move(values));
  }
  std::vector<const net::DataSet*> data;
  for (const Samples& set : sets) data.push_back(&set);
  net::CalibrationOptions options;
  options.batch = 1;
  options.thresholds = loaded.thresholds;
  change(options);
  TW_ASSIGN_OR_RETURN(calibration, net::calibrate(loaded.net, data, options));
  if (options.table_only) return Calibrated{.calibration = std::move(calibration), .net = {}};
  const tputwin::testing::TemporaryDirectory folder;
  write(folder / "net.caffemodel", calibration.net);
  write(folder / "table.pb2", calibration.table);
  TW_ASSIGN_OR_RETURN(int8, prepared({.prototxt = "",
                                      .caffemodel = folder / "net.caffemodel",
                                      .table = folder / "table.pb2",
                                      .import = {}}));
  return Calibrated{std::move(calibration), std::move(int8)};
}

float tensor_threshold(const Int8& net, const std::string& tensor) {
  for (size_t i = 0; i < net.network.ops.size(); ++i)
    for (int t = 0; t < net.network.ops[i].top_size(); ++t)
      if (net.network.ops[i].top(t) == tensor)
        return net.integers[i].threshold_y.at(static_cast<size_t>(t));
  return 0;
}

double sqnr(const std::vector<float>& expected, const std::vector<float>& actual) {
  double signal = 0, error = 0;
  for (size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
    signal += double{expected[i]} * expected[i];
    error += (double{expected[i]} - actual[i]) * (double{expected[i]} - actual[i]);
  }
  return error == 0 ? INFINITY : 10 * std::log10(signal / error);
}

}  // namespace tputwin::test
