// Evaluation: classes of the float net and of the model, counted against the labels.
#include "tools/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/float_weights.h"
#include "bmnet/float/execute.h"
#include "bmnet/onnx/load.h"
#include "tools/net.h"
#include "tools/progress.h"
#include "tools/session.h"

namespace tputwin::tools {
namespace {

constexpr uint64_t kUnitSamples = 200;
constexpr uint32_t kFormatFp32 = 0;  // FMT_F32, of CPU operators

// Classifies samples and adds the time it took.
template <class Side>
Result<std::vector<size_t>> timed(double& seconds, Side& side, const std::vector<float>& samples) {
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
    if (network.inputs().size() != 1 || network.outputs().empty())
      return Error(errors::net_data_shape)
          .in(network.name)
          .argument("inputs", std::to_string(network.inputs().size()))
          .detail("nets of one input are evaluated");
    input_ = network.inputs().front();
    shape_ = net::dims(*network.shape_of(input_));
    output_ = network.outputs().front();
    for (const std::string& name : network.outputs())
      if (network.blob_name(name) == output) output_ = name;
    auto executor = net::FloatExecutor::create(network);
    if (!executor.ok()) return executor.error();
    executor_ = std::move(*executor);
    return {};
  }

  size_t batch() const { return static_cast<size_t>(shape_.front()); }
  size_t values() const {
    size_t count = 1;
    for (int64_t extent : shape_) count *= static_cast<size_t>(extent);
    return count;
  }

  Result<std::vector<size_t>> classify(const std::vector<float>& samples) {
    auto outputs = executor_->run({{input_, {shape_, samples}}});
    if (!outputs.ok()) return outputs.error();
    return classes_of(outputs->at(output_).data, batch());
  }

 private:
  std::unique_ptr<net::FloatExecutor> executor_;
  std::string input_, output_;
  std::vector<int64_t> shape_;
};

// Runs the model on the simulated chip.
class Int8Side {
 public:
  Status open(std::span<const uint8_t> file, const EvalOptions& options) {
    auto model = bmodel::read(file);
    if (!model.ok()) return model.error();
    const bmodel::Variety& variety = model->varieties.front();
    if (variety.inputs.size() != 1)
      return Error(errors::net_data_shape)
          .in(model->name)
          .argument("inputs", std::to_string(variety.inputs.size()))
          .detail("models of one input are evaluated");
    input_ = variety.inputs.front();
    bytes_.resize(input_.bytes());
    outputs_.resize(variety.output_bytes());
    output_ = variety.outputs.front();
    size_t offset = 0;
    for (const bmodel::Output& output : variety.outputs) {
      if (output.name == options.output) output_ = output, offset_ = offset;
      offset += output.bytes();
    }
    if (!options.plugin_directory.empty()) prepend_plugin_path(options.plugin_directory);
    TW_RETURN_IF_ERROR(session_.open(file));
    return session_.select({input_.shape});
  }

  const bmodel::Input& input() const { return input_; }
  size_t batch() const { return input_.shape.empty() ? 1 : input_.shape.front(); }

  Result<std::vector<size_t>> classify(const std::vector<float>& samples) {
    if (input_.fmt == kFormatFp32)
      std::memcpy(bytes_.data(), samples.data(), bytes_.size());
    else
      std::ranges::transform(samples, bytes_.begin(), [this](float x) {
        return static_cast<uint8_t>(quantized(x, input_.threshold));
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
  bmodel::Input input_;
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
Status check_labels(const net::DataSet& data) {
  size_t labelled = 0;
  for (size_t i = 0; i < data.size(); ++i) labelled += data.label(i) >= 0;
  if (labelled == data.size()) return {};
  return Error(errors::net_data_label)
      .in("eval")
      .argument("--data", fmt::format("{} of {} samples with a label", labelled, data.size()))
      .detail(
          "labels come from one folder per class, a --list of lines \"FILE LABEL\", the labels' "
          "file "
          "next to an idx file, or an LMDB");
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
  std::unique_ptr<net::DataSet> owned;

  const net::DataSet* data = nullptr;
  sides::FloatSide fp32;
  sides::Int8Side int8;
  uint64_t end = 0;

  Status open(const net::Network& net, std::span<const uint8_t> model, const net::DataSet& from,
              const EvalOptions& options) {
    TW_RETURN_IF_ERROR(fp32.open(net, options.output));
    TW_RETURN_IF_ERROR(int8.open(model, options));
    if (fp32.values() != bmodel::element_count(int8.input().shape) || fp32.batch() != int8.batch())
      return Error(errors::net_data_shape)
          .in(net.name)
          .argument("model", bmodel::to_string(int8.input().shape))
          .detail("the float net has an input of another shape");
    if (from.size() == 0) return Error(errors::net_data_empty).in("eval");
    TW_RETURN_IF_ERROR(check_labels(from));
    data = &from;
    end = options.samples ? std::min<uint64_t>(options.samples, from.size())
                          : static_cast<uint64_t>(from.size());
    return {};
  }

  uint64_t batch() const { return fp32.batch(); }
  // Whole batches, so that the batches of samples do not depend on the assignment of units.
  uint64_t unit_samples() const { return (kUnitSamples + batch() - 1) / batch() * batch(); }

  Result<EvalReport> of_batch(uint64_t first) {
    EvalReport report{.batch = batch()};
    TW_ASSIGN_OR_RETURN(samples, load_batch(*data, first, end, batch(), fp32.values()));
    TW_ASSIGN_OR_RETURN(float_classes, timed(report.fp32.seconds, fp32, samples));
    TW_ASSIGN_OR_RETURN(int8_classes, timed(report.int8.seconds, int8, samples));
    const size_t loaded = std::min<uint64_t>(batch(), end - first);
    for (size_t i = 0; i < loaded; ++i)
      count(report, static_cast<size_t>(data->label(first + i)), float_classes[i], int8_classes[i]);
    return report;
  }
};

Evaluation::Evaluation(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Evaluation::~Evaluation() = default;

Result<std::unique_ptr<Evaluation>> Evaluation::open(const EvalRequest& request) {
  auto parts = std::make_unique<Parts>();
  TW_ASSIGN_OR_RETURN(file, read_bytes(request.model));
  TW_ASSIGN_OR_RETURN(model, bmodel::read(file));
  net::ImportOptions shapes;
  for (const bmodel::Input& input : model.varieties.front().inputs)
    shapes.input_shapes.push_back(net::make_shape({input.shape.begin(), input.shape.end()}));
  TW_ASSIGN_OR_RETURN(loaded, net::load_net(request.prototxt, request.caffemodel));
  if (!loaded.is_onnx) TW_RETURN_IF_ERROR(net::check_float_weights(loaded.net));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(loaded.net, shapes));
  net::DataOptions data_options = request.data_options;
  data_options.shape = net::extents(shapes.input_shapes.front());
  data_options.shape.n = 1;
  TW_ASSIGN_OR_RETURN(data, net::open_data_set(request.data, data_options));
  parts->file = std::move(file);
  parts->network = std::move(network);
  parts->owned = std::move(data);
  TW_RETURN_IF_ERROR(parts->open(*parts->network, parts->file, *parts->owned, request.options));
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
  TW_RETURN_IF_ERROR(parts->open(net, model, data, options));
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
