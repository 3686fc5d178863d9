#include "network.h"

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "bmnet/caffe/caffe_net.h"
#include "bmnet/caffe/import.h"
#include "bmnet/data/data_set.h"
#include "bmnet/float/execute.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet/pipeline/prepare.h"

namespace {

using namespace tputwin;

Result<net::caffe::NetParameter> load(const CompileJob& job) {
  return net::load_caffe(job.net + ".prototxt", job.net + ".caffemodel");
}

Result<net::Calibration> calibrate(const CompileJob& job) {
  TW_ASSIGN_OR_RETURN(float_net, load(job));
  TW_ASSIGN_OR_RETURN(images,
                      net::open_data_set(job.data + "/train-images-idx3-ubyte.gz",
                                         {.shape = {1, 1, kSide, kSide}, .scale = {kPixelScale}}));
  return net::calibrate(float_net, {images.get()}, {.samples = job.calibration});
}

Status compile(const CompileJob& job, CompiledNet& compiled) {
  TW_ASSIGN_OR_RETURN(calibration, calibrate(job));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(calibration.net, {.batch = job.batch}));
  compiled.layers = network.ops.size();
  compiled.weights = 0;
  for (const auto& [layer, blobs] : network.blobs)
    for (const net::Blob& blob : blobs) compiled.weights += blob.data.size();
  TW_ASSIGN_OR_RETURN(
      code, net::compile(network, calibration.table, {.level = net::Level::recycle_memory}));
  compiled.weight_bytes = code.weight.size();
  bmodel::Model model = net::to_model(code, network.name);
  for (const std::string& name : code.cpu_operators) {
    TW_ASSIGN_OR_RETURN(plugin, read_bytes(job.plugins + "/x86_64/" + name + ".so"));
    model.libraries.push_back({.name = name, .x86_64 = std::move(plugin)});
  }
  TW_ASSIGN_OR_RETURN(file, bmodel::write(model, bmodel::Container::v2_1));
  compiled.bmodel = std::move(file);
  return {};
}

Status classify(const CompileJob& job, const Dataset& images,
                const std::function<void(size_t)>& progress, std::vector<uint8_t>& classes) {
  TW_ASSIGN_OR_RETURN(float_net, load(job));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(float_net, {.batch = job.batch}));
  TW_ASSIGN_OR_RETURN(executor, net::FloatExecutor::create(network));
  const std::string input = network.inputs().front(), output = network.outputs().front();
  const auto batch = static_cast<size_t>(job.batch);
  net::Blob values{net::dims(*network.shape_of(input)), std::vector<float>(batch * kPixels)};
  classes.resize(images.count());
  for (size_t first = 0; first < images.count(); first += batch) {
    const size_t count = std::min(batch, images.count() - first);
    for (size_t i = 0; i < count * kPixels; i++)
      values.data[i] = images.pixels[first * kPixels + i] * kPixelScale;
    TW_ASSIGN_OR_RETURN(outputs, executor->run({{input, values}}));
    const std::vector<float>& scores = outputs.at(output).data;
    const auto each = static_cast<std::ptrdiff_t>(scores.size() / batch);
    for (size_t i = 0; i < count; i++) {
      const auto start = scores.begin() + static_cast<std::ptrdiff_t>(i) * each;
      classes[first + i] = static_cast<uint8_t>(std::max_element(start, start + each) - start);
    }
    progress(first + count);
  }
  return {};
}

bool judge(const Status& status, std::string& reason) {
  if (!status.ok()) reason = status.error().message();
  return status.ok();
}

}  // namespace

bool compile_net(const CompileJob& job, CompiledNet& compiled, std::string& reason) {
  return judge(compile(job, compiled), reason);
}

bool classify_float(const CompileJob& job, const Dataset& images,
                    const std::function<void(size_t)>& progress, std::vector<uint8_t>& classes,
                    std::string& reason) {
  return judge(classify(job, images, progress, classes), reason);
}
