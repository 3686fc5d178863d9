// Real nets: calibrated on samples, compiled, and run on the simulator or by OpenCV.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bmnet/pipeline/compile.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/support.h"

namespace tputwin::testing {

using Outputs = std::map<std::string, net::Blob>;
// A net in a pipeline: maps the input's values (n,c,h,w) to the outputs' values, by name.
using Runner = std::function<Outputs(const net::Blob& input)>;

// In-memory samples of one shape.
class Samples : public net::DataSet {
 public:
  // Cuts a batch into samples.
  void add(const net::Blob& batch);
  Status sample(size_t index, std::span<float> values) const override;
  Result<net::Extents> natural_shape() const override { return shape_; }

 private:
  net::Extents shape_;
  std::vector<std::vector<float>> values_;
};

struct Files {
  const char *prototxt, *caffemodel;  // relative to the folder of real models
};
inline constexpr Files kDet1{"mtcnn/det1.prototxt", "mtcnn/det1.caffemodel"};
inline constexpr Files kDet2{"mtcnn/det2.prototxt", "mtcnn/det2.caffemodel"};
inline constexpr Files kDet3{"mtcnn/det3.prototxt", "mtcnn/det3.caffemodel"};
inline constexpr Files kUltraFace{"ultraface/RFB-320.prototxt", "ultraface/RFB-320.caffemodel"};
inline constexpr Files kYuFace{"bm1880-real/yufacedetect/yufacedetectnet-open-v1.prototxt",
                               "bm1880-real/yufacedetect/yufacedetectnet-open-v1.caffemodel"};
inline constexpr Files kCifar{"bm1880-real/cifar10/cifar10_quick.prototxt",
                              "bm1880-real/cifar10/cifar10_quick_iter_5000.caffemodel"};
inline constexpr Files kLeNet{"lenet/lenet.prototxt", "lenet/lenet_iter_10000.caffemodel"};

// Returns the original net in OpenCV.
Runner opencv_net(const Files& files);
// Returns `runner`, changed to append each input batch to `samples`.
Runner recorded(Runner runner, Samples* samples);

// A calibrated net on the simulator, compiled once per shape of the input.
class Int8Net {
 public:
  // With `batch` 0 the net is compiled for the number of samples of each input. Otherwise inputs
  // are cut into batches of `batch` samples, the last one padded with zeros.
  static Result<std::shared_ptr<Int8Net>> create(const Files& files, const net::DataSet& data,
                                                 const net::CalibrationOptions& options,
                                                 int64_t batch = 0);
  static Result<std::shared_ptr<Int8Net>> create(const net::caffe::NetParameter& caffe,
                                                 const net::DataSet& data,
                                                 const net::CalibrationOptions& options,
                                                 int64_t batch = 0);

  const net::Calibration& calibration() const { return calibration_; }
  // Returns the int8 net for another shape of the input.
  Result<Model> reshaped(const std::vector<int64_t>& input) const;
  Outputs run(const net::Blob& input);

  // Loads the original net; its reshapes then accept any batch size.
  static Result<net::caffe::NetParameter> load(const Files& files);

 private:
  struct Ready {
    Model model;
    net::Compiled compiled;
  };
  Result<Outputs> run_batch(const net::Blob& input);
  Result<const Ready*> ready_for(const std::vector<int64_t>& input);

  net::Calibration calibration_;
  int64_t batch_ = 0;
  std::map<std::vector<int64_t>, Ready> ready_;
};

Runner simulated_net(std::shared_ptr<Int8Net> net);

}  // namespace tputwin::testing
