// ONNX models as int8 nets, by the same steps as the tools.
#pragma once

#include "bmnet/calibrate/calibrate.h"
#include "bmnet_onnx/support.h"

namespace tputwin::test {

// In-memory samples of one input.
class Samples : public net::DataSet {
 public:
  explicit Samples(std::vector<std::vector<float>> values) : values_(std::move(values)) {
    labels_.assign(values_.size(), -1);
  }
  Status sample(size_t index, std::span<float> values) const override;
  Result<net::Extents> natural_shape() const override { return net::Extents{}; }

 private:
  std::vector<std::vector<float>> values_;
};

// Samples by input name. Each is a batch of 1.
using Batches = std::vector<Blobs>;

// Returns a quantized model with the thresholds of its file, as `tputwin compile NET.onnx` reads
// it.
Result<Int8> own_int8(const onnx::ModelProto& model);

struct Calibrated {
  net::Calibration calibration;
  // Read from the written files, as in `tputwin compile --caffemodel --table`.
  Int8 net;
};
Result<Calibrated> calibrated(const onnx::ModelProto& model, const Batches& samples,
                              net::ThresholdMethod method = net::ThresholdMethod::squared_error);
Result<Calibrated> calibrated(const onnx::ModelProto& model, const Batches& samples,
                              const std::function<void(net::CalibrationOptions&)>& change);

// Returns the threshold of a tensor.
float tensor_threshold(const Int8& net, const std::string& tensor);

// Returns 10 log10 of signal over error; infinity for equal values.
double sqnr(const std::vector<float>& expected, const std::vector<float>& actual);

}  // namespace tputwin::test
