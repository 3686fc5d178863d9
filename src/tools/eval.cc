// Evaluation: classes of the float net and of the model, counted against the labels.
#include "tools/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/float_weights.h"
#include "bmnet/float/execute.h"
#include "bmnet/onnx/load.h"
#include "bmodel/open.h"
#include "tools/data/samples.h"
#include "tools/net.h"
#include "tools/progress.h"
#include "tools/session.h"

namespace tputwin::tools {
namespace {

constexpr uint64_t kUnitSamples = 200;
constexpr uint32_t kFormatFp32 = 0;  // FMT_F32, of CPU operators

// The values of a batch for each input.
using Samples = std::vector<std::vector<float>>;

// Returns the samples in a run: the first extent of the inputs. If they differ, as those of a state
// do, a run has one sample, which is all of each input.
template <class Shapes>
size_t batch_of(const Shapes& shapes) {
  const auto first = [](const auto& shape) { return shape.empty() ? 1 : shape.front(); };
  for (const auto& shape : shapes)
    if (first(shape) != first(shapes[0])) return 1;
  return static_cast<size_t>(first(shapes[0]));
}

// Classifies samples and adds the time it took.
template <class Side>
Result<std::vector<size_t>> timed(double& seconds, Side& side, const Samples& samples) {
  const auto start = std::chrono::steady_clock::now();
  auto classes = side.classify(samples);
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return classes;
}

// Returns the class of each of `batch` samples, whose scores are consecutive.
std::vector<size_t> classes_of(std::span<const float> scores, size_t batch) {
  std::vector<size_t> classes;
  const size_t count = scores.size() / batch;
  for (size_t i = 0; i < batch; ++i) {
    auto one = scores.subspan(i * count, count);
    classes.push_back(static_cast<size_t>(std::ranges::max_element(one) - one.begin()));
  }
  return classes;
}

}  // namespace

// Members of an Evaluation; named because they are visible outside this file.
namespace sides {

// Runs the float net, a batch at a time.
class FloatSide {
 public:
  Status open(const net::Network& network, const std::string& output) {
    if (network.inputs().empty() || network.outputs().empty())
      return Error(errors::net_no_input).in(network.name);
    inputs_ = network.inputs();
    for (const std::string& input : inputs_) shapes_.push_back(net::dims(*network.shape_of(input)));
    output_ = network.outputs().front();
    for (const std::string& name : network.outputs())
      if (network.blob_name(name) == output) output_ = name;
    auto executor = net::FloatExecutor::create(network);
    if (!executor.ok()) return executor.error();
    executor_ = std::move(*executor);
    return {};
  }

  size_t batch() const { return batch_of(shapes_); }
  std::vector<size_t> values() const {
    std::vector<size_t> counts;
    for (const auto& shape : shapes_)
      counts.push_back(static_cast<size_t>(
          std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>())));
    return counts;
  }

  Result<std::vector<size_t>> classify(const Samples& samples) {
    std::map<std::string, net::Blob> inputs;
    for (size_t i = 0; i < inputs_.size(); ++i) inputs[inputs_[i]] = {shapes_[i], samples[i]};
    auto outputs = executor_->run(inputs);
    if (!outputs.ok()) return outputs.error();
    return classes_of(outputs->at(output_).data, batch());
  }

 private:
  std::unique_ptr<net::FloatExecutor> executor_;
  std::vector<std::string> inputs_;
  std::vector<std::vector<int64_t>> shapes_;
  std::string output_;
};

// Runs the model on the simulated chip.
class Int8Side {
 public:
  Status open(std::span<const uint8_t> file, const EvalOptions& options) {
    auto model = bmodel::read(file);
    if (!model.ok()) return model.error();
    const bmodel::Variety& variety = model->varieties.front();
    inputs_ = variety.inputs;
    size_t bytes = 0;
    ShapeList shapes;
    for (const bmodel::Input& input : inputs_) {
      bytes += input.bytes();
      shapes.push_back(input.shape);
    }
    bytes_.resize(bytes);
    outputs_.resize(variety.output_bytes());
    output_ = variety.outputs.front();
    size_t offset = 0;
    for (const bmodel::Output& output : variety.outputs) {
      if (output.name == options.output) output_ = output, offset_ = offset;
      offset += output.bytes();
    }
    if (!options.plugin_directory.empty()) prepend_plugin_path(options.plugin_directory);
    TW_RETURN_IF_ERROR(session_.open(file));
    batch_ = batch_of(shapes);
    return session_.select(shapes);
  }

  const std::vector<bmodel::Input>& inputs() const { return inputs_; }
  size_t batch() const { return batch_; }

  Result<std::vector<size_t>> classify(const Samples& samples) {
    uint8_t* to = bytes_.data();
    for (size_t i = 0; i < inputs_.size(); to += inputs_[i++].bytes())
      if (inputs_[i].fmt == kFormatFp32)
        std::memcpy(to, samples[i].data(), inputs_[i].bytes());
      else
        std::ranges::transform(samples[i], to, [&](float x) {
          return static_cast<uint8_t>(quantized(x, inputs_[i].threshold));
        });
    if (Status status = session_.infer(bytes_, outputs_); !status.ok()) return status.error();
    return classes_of(scores(), batch());
  }

 private:
  std::vector<float> scores() const {
    const auto bytes = std::span(outputs_).subspan(offset_, output_.bytes());
    if (output_.fmt == kFormatFp32) {
      std::vector<float> values(bytes.size() / sizeof(float));
      std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
      return values;
    }
    std::vector<float> values;
    for (uint8_t byte : bytes) values.push_back(static_cast<int8_t>(byte));
    return values;
  }

  Session session_;
  std::vector<bmodel::Input> inputs_;
  size_t batch_ = 1;
  bmodel::Output output_;
  size_t offset_ = 0;  // offset of the scores in the outputs
  std::vector<uint8_t> bytes_, outputs_;
};

}  // namespace sides

namespace {

void count(EvalReport& report, size_t label, size_t by_float, size_t by_int8) {
  const bool float_right = by_float == label, int8_right = by_int8 == label;
  ++report.samples;
  report.fp32.right += float_right;
  report.int8.right += int8_right;
  report.both_right += float_right && int8_right;
  report.float_only += float_right && !int8_right;
  report.int8_only += !float_right && int8_right;
  report.both_wrong += !float_right && !int8_right;
  report.same_class += by_float == by_int8;
}

// Loads a batch from `first` on; the last sample repeats where no more exist.
Result<std::vector<float>> load_batch(const net::DataSet& data, uint64_t first, uint64_t end,
                                      size_t batch, size_t values) {
  std::vector<float> samples(values);
  const size_t each = values / batch;
  for (size_t i = 0; i < batch; ++i)
    TW_RETURN_IF_ERROR(data.sample(std::min<uint64_t>(first + i, end - 1),
                                   std::span(samples).subspan(i * each, each)));
  return samples;
}

// Accuracy requires classes to compare with.
Status check_labels(const std::vector<int>& labels) {
  const auto labelled = std::ranges::count_if(labels, [](int label) { return label >= 0; });
  if (static_cast<size_t>(labelled) == labels.size()) return {};
  return Error(errors::net_data_label)
      .in("eval")
      .argument("--data", fmt::format("{} of {} samples with a label", labelled, labels.size()))
      .detail(
          "labels come from one folder per class, a --list of lines \"FILE LABEL\", the labels' "
          "file next to an idx file, an LMDB, the array labels of an .npz, or --data "
          "labels=FILE.npy");
}

std::string side_text(const char* name, const EvalReport::Side& side, uint64_t samples) {
  const double all = static_cast<double>(samples);
  return fmt::format("{:<8}{:7.2f} %  {} right, {:.1f} images/s\n", name,
                     100 * static_cast<double>(side.right) / all, side.right, all / side.seconds);
}

}  // namespace

EvalReport& EvalReport::operator+=(const EvalReport& other) {
  samples += other.samples;
  batch = other.batch;
  for (auto side : {&EvalReport::fp32, &EvalReport::int8}) {
    (this->*side).right += (other.*side).right;
    (this->*side).seconds += (other.*side).seconds;
  }
  for (auto part : {&EvalReport::both_right, &EvalReport::float_only, &EvalReport::int8_only,
                    &EvalReport::both_wrong, &EvalReport::same_class})
    this->*part += other.*part;
  return *this;
}

struct Evaluation::Parts {
  // data of evaluations of files
  std::vector<uint8_t> file;
  std::optional<net::Network> network;
  DataSets owned;

  std::vector<const net::DataSet*> data;  // one for each input
  std::vector<int> labels;
  sides::FloatSide fp32;
  sides::Int8Side int8;
  uint64_t end = 0;

  Status open(const net::Network& net, std::span<const uint8_t> model, const EvalOptions& options) {
    TW_RETURN_IF_ERROR(fp32.open(net, options.output));
    TW_RETURN_IF_ERROR(int8.open(model, options));
    TW_RETURN_IF_ERROR(check_inputs(net));
    if (labels.empty()) return Error(errors::net_data_empty).in("eval");
    TW_RETURN_IF_ERROR(check_labels(labels));
    end = options.samples ? std::min<uint64_t>(options.samples, labels.size())
                          : static_cast<uint64_t>(labels.size());
    return {};
  }

  // The model must have the inputs of the float net, in their order.
  Status check_inputs(const net::Network& net) const {
    const auto& inputs = int8.inputs();
    const std::vector<size_t> values = fp32.values();
    if (inputs.size() != values.size() || data.size() != values.size())
      return Error(errors::net_data_shape)
          .in(net.name)
          .argument("inputs of the model", std::to_string(inputs.size()))
          .detail(fmt::format("the float net has {}, and there are {} data sets", values.size(),
                              data.size()));
    for (size_t i = 0; i < inputs.size(); ++i)
      if (values[i] != bmodel::element_count(inputs[i].shape) || fp32.batch() != int8.batch())
        return Error(errors::net_data_shape)
            .in(net.name)
            .argument("model", bmodel::to_string(inputs[i].shape))
            .detail("the float net has an input of another shape");
    return {};
  }

  uint64_t batch() const { return fp32.batch(); }
  // Whole batches, so that the batches of samples do not depend on the assignment of units.
  uint64_t unit_samples() const { return (kUnitSamples + batch() - 1) / batch() * batch(); }

  Result<EvalReport> of_batch(uint64_t first) {
    EvalReport report{.batch = batch()};
    Samples samples;
    for (size_t i = 0; i < data.size(); ++i) {
      TW_ASSIGN_OR_RETURN(values, load_batch(*data[i], first, end, batch(), fp32.values()[i]));
      samples.push_back(std::move(values));
    }
    TW_ASSIGN_OR_RETURN(float_classes, timed(report.fp32.seconds, fp32, samples));
    TW_ASSIGN_OR_RETURN(int8_classes, timed(report.int8.seconds, int8, samples));
    const size_t loaded = std::min<uint64_t>(batch(), end - first);
    for (size_t i = 0; i < loaded; ++i)
      count(report, static_cast<size_t>(labels[first + i]), float_classes[i], int8_classes[i]);
    return report;
  }
};

Evaluation::Evaluation(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Evaluation::~Evaluation() = default;

Result<std::unique_ptr<Evaluation>> Evaluation::open(const EvalRequest& request) {
  auto parts = std::make_unique<Parts>();
  if (const auto opened = bmodel::open_file(request.model); opened.ok() && opened->bm168x())
    return Error(errors::net_cli)
        .in("eval")
        .argument("--bmodel", request.model)
        .detail(
            "eval counts classes of models of the BM1880; tputwin run, and tputwin.load of the "
            "module for Python, give the scores of the other chips' models");
  TW_ASSIGN_OR_RETURN(file, read_bytes(request.model));
  TW_ASSIGN_OR_RETURN(model, bmodel::read(file));
  net::ImportOptions shapes;
  for (const bmodel::Input& input : model.varieties.front().inputs)
    shapes.input_shapes.push_back(net::make_shape({input.shape.begin(), input.shape.end()}));
  TW_ASSIGN_OR_RETURN(loaded, net::load_net(request.prototxt, request.caffemodel));
  if (!loaded.is_onnx) TW_RETURN_IF_ERROR(net::check_float_weights(loaded.net));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(loaded.net, shapes));
  TW_ASSIGN_OR_RETURN(inputs, net::sample_inputs(network));
  TW_ASSIGN_OR_RETURN(data, open_labelled(request.data, request.data_options, inputs));
  parts->file = std::move(file);
  parts->network = std::move(network);
  parts->owned = std::move(data.sets);
  parts->labels = std::move(data.labels);
  for (const auto& set : parts->owned) parts->data.push_back(set.get());
  TW_RETURN_IF_ERROR(parts->open(*parts->network, parts->file, request.options));
  return std::unique_ptr<Evaluation>(new Evaluation(std::move(parts)));
}

uint64_t Evaluation::samples() const { return parts_->end; }

uint64_t Evaluation::units() const {
  return (parts_->end + parts_->unit_samples() - 1) / parts_->unit_samples();
}

Result<EvalReport> Evaluation::unit(uint64_t number) {
  const uint64_t begin = number * parts_->unit_samples();
  EvalReport report{.batch = parts_->batch()};
  for (uint64_t first = begin; first < std::min(parts_->end, begin + parts_->unit_samples());
       first += parts_->batch()) {
    TW_ASSIGN_OR_RETURN(one, parts_->of_batch(first));
    report += one;
  }
  return report;
}

Result<EvalReport> Evaluation::all(const EvalOptions& options) {
  EvalReport report{.batch = parts_->batch()};
  std::optional<ProgressBar> bar;
  if (options.progress) bar.emplace(parts_->end);
  for (uint64_t first = 0; first < parts_->end; first += report.batch) {
    TW_ASSIGN_OR_RETURN(one, parts_->of_batch(first));
    report += one;
    if (bar) bar->advance(one.samples);
    if (options.on_progress) options.on_progress(report.samples, parts_->end);
  }
  return report;
}

Result<EvalReport> evaluate(const net::Network& net, std::span<const uint8_t> model,
                            const net::DataSet& data, const EvalOptions& options) {
  auto parts = std::make_unique<Evaluation::Parts>();
  parts->data = {&data};
  for (size_t i = 0; i < data.size(); ++i) parts->labels.push_back(data.label(i));
  TW_RETURN_IF_ERROR(parts->open(net, model, options));
  return Evaluation(std::move(parts)).all(options);
}

Result<EvalReport> evaluate_files(const EvalRequest& request) {
  TW_ASSIGN_OR_RETURN(evaluation, Evaluation::open(request));
  return evaluation->all(request.options);
}

std::string report_text(const EvalReport& r) {
  std::string text = fmt::format("samples {}, in batches of {}\n", r.samples, r.batch);
  text += side_text("float", r.fp32, r.samples) + side_text("int8", r.int8, r.samples);
  const double loss = static_cast<double>(r.fp32.right) - static_cast<double>(r.int8.right);
  text += fmt::format("loss    {:7.2f} %\n", 100 * loss / static_cast<double>(r.samples));
  text += fmt::format("right   both {}, float only {}, int8 only {}, neither {}\n", r.both_right,
                      r.float_only, r.int8_only, r.both_wrong);
  text += fmt::format("agree   {} of {} samples have the same class in both\n", r.same_class,
                      r.samples);
  return text;
}

}  // namespace tputwin::tools
