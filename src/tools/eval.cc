// Evaluation: classes of the float net and of the model, counted against the labels.
#include "tools/eval.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/float_weights.h"
#include "bmnet/onnx/load.h"
#include "bmodel/open.h"
#include "tools/accuracy/sides.h"
#include "tools/data/samples.h"
#include "tools/progress.h"

namespace tputwin::tools {
namespace {

constexpr uint64_t kUnitSamples = 200;

// Returns the result of run(), and adds the time it took.
template <class Run>
auto timed(double& seconds, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  auto result = run();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

constexpr size_t kTop = 5;

// The class of a sample, and whether its label is among the best.
struct Verdict {
  size_t best = 0;
  bool is_in_top = false;
};

// A class of the same score comes before a label if its number is lower. NaN is never among the
// best.
Verdict verdict(std::span<const double> scores, size_t label) {
  Verdict found{static_cast<size_t>(std::ranges::max_element(scores) - scores.begin())};
  if (label >= scores.size() || std::isnan(scores[label])) return found;
  size_t before = 0;
  for (size_t i = 0; i < scores.size(); ++i)
    before += scores[i] > scores[label] || (scores[i] == scores[label] && i < label);
  found.is_in_top = before < kTop;
  return found;
}

// Returns the scores of one sample of a batch.
std::span<const double> of_sample(const EvalScores& scores, size_t batch, size_t sample) {
  const size_t count = scores.size() / batch;
  return std::span(scores).subspan(sample * count, count);
}

// Runs one batch on each of the first devices, at the same time.
Result<std::vector<EvalScores>> run_all(std::vector<ModelSide>& devices,
                                        std::span<const EvalSamples> batches) {
  std::vector<Result<EvalScores>> results(batches.size(), EvalScores());
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < batches.size(); ++i)
      others.emplace_back([&, i] { results[i] = devices[i].run(batches[i]); });
    results[0] = devices[0].run(batches[0]);
  }
  std::vector<EvalScores> scores;
  for (auto& result : results) {
    if (!result.ok()) return result.error();
    scores.push_back(std::move(*result));
  }
  return scores;
}

void count(EvalReport& report, size_t label, const Verdict& by_float, const Verdict& by_int8) {
  const bool float_right = by_float.best == label, int8_right = by_int8.best == label;
  ++report.samples;
  report.fp32.right += float_right;
  report.int8.right += int8_right;
  report.both_right += float_right && int8_right;
  report.float_only += float_right && !int8_right;
  report.int8_only += !float_right && int8_right;
  report.both_wrong += !float_right && !int8_right;
  report.same_class += by_float.best == by_int8.best;
  report.fp32.in_top += by_float.is_in_top;
  report.int8.in_top += by_int8.is_in_top;
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

// Returns for each input of the model that of the float net: the one of its name, or, if not all
// have one, that at its place.
std::vector<size_t> order_of_inputs(const std::vector<NetTensor>& inputs,
                                    const std::vector<std::string>& names) {
  std::vector<size_t> order(inputs.size()), by_name;
  std::iota(order.begin(), order.end(), size_t{0});
  for (const NetTensor& input : inputs) {
    const auto found = std::ranges::find(names, input.name);
    if (found == names.end()) return order;
    by_name.push_back(static_cast<size_t>(found - names.begin()));
  }
  return by_name;
}

Status check_scores(size_t by_float, size_t by_model) {
  if (by_float == by_model) return {};
  return Error(errors::net_data_shape)
      .in("eval")
      .argument("scores of the model", std::to_string(by_model))
      .detail(
          fmt::format("the float net has {} for a sample: --output names the scores", by_float));
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
  classes = other.classes;
  is_int8 = other.is_int8;
  for (auto side : {&EvalReport::fp32, &EvalReport::int8}) {
    (this->*side).right += (other.*side).right;
    (this->*side).in_top += (other.*side).in_top;
    (this->*side).seconds += (other.*side).seconds;
  }
  for (auto part : {&EvalReport::both_right, &EvalReport::float_only, &EvalReport::int8_only,
                    &EvalReport::both_wrong, &EvalReport::same_class})
    this->*part += other.*part;
  return *this;
}

struct Evaluation::Parts {
  // data of evaluations of files
  std::optional<net::Network> network;
  DataSets owned;

  std::vector<const net::DataSet*> data;  // one for each input of the float net
  std::vector<int> labels;
  FloatSide fp32;
  std::vector<ModelSide> devices;
  std::vector<size_t> order;  // for each input of the model that of the float net
  bool is_int8 = true;
  uint64_t end = 0;

  Status open_devices(bmodel::OpenFile opened, const EvalOptions& options) {
    const auto file = std::make_shared<const bmodel::OpenFile>(std::move(opened));
    is_int8 = file->bm1880() != nullptr;
    EvalOptions chosen = options;
    devices.resize(std::max(1u, options.devices));
    for (ModelSide& device : devices) {
      TW_RETURN_IF_ERROR(device.open(file, chosen));
      chosen.stage = device.net().stage();
    }
    return {};
  }

  Status open(const net::Network& net, const EvalOptions& options) {
    TW_RETURN_IF_ERROR(fp32.open(net, options.output));
    TW_RETURN_IF_ERROR(check_inputs(net));
    TW_RETURN_IF_ERROR(check_output(net, options.output));
    if (labels.empty()) return Error(errors::net_data_empty).in("eval");
    TW_RETURN_IF_ERROR(check_labels(labels));
    end = options.samples ? std::min<uint64_t>(options.samples, labels.size())
                          : static_cast<uint64_t>(labels.size());
    return {};
  }

  // The model must have the inputs of the float net, by their names or in their order.
  Status check_inputs(const net::Network& net) {
    const auto& inputs = devices[0].inputs();
    const std::vector<size_t> values = fp32.values();
    if (inputs.size() != values.size() || data.size() != values.size())
      return Error(errors::net_data_shape)
          .in(net.name)
          .argument("inputs of the model", std::to_string(inputs.size()))
          .detail(fmt::format("the float net has {}, and there are {} data sets", values.size(),
                              data.size()));
    order = order_of_inputs(inputs, fp32.input_names());
    for (size_t i = 0; i < inputs.size(); ++i)
      if (values[order[i]] != inputs[i].count() || fp32.batch() != devices[0].batch())
        return Error(errors::net_data_shape)
            .in(net.name)
            .argument("model", fmt::format("({})", fmt::join(inputs[i].shape, ",")))
            .detail("the float net has an input of another shape");
    return {};
  }

  // The scores of a side with one output may have another name.
  Status check_output(const net::Network& net, const std::string& output) const {
    std::vector<std::string> of_net, of_model;
    for (const std::string& name : net.outputs()) of_net.push_back(net.blob_name(name));
    for (const NetTensor& one : devices[0].net().outputs()) of_model.push_back(one.name);
    const bool is_in_net = fp32.has_output() || of_net.size() == 1;
    const bool is_in_model = devices[0].has_output() || of_model.size() == 1;
    const bool is_known = fp32.has_output() || devices[0].has_output();
    if (output.empty() || (is_known && is_in_net && is_in_model)) return {};
    return Error(errors::net_cli)
        .in("eval")
        .argument("--output", output)
        .detail(fmt::format("outputs of the float net are {}, and of the model {}",
                            fmt::join(of_net, ", "), fmt::join(of_model, ", ")));
  }

  uint64_t batch() const { return fp32.batch(); }
  // The samples that all devices take at a time.
  uint64_t step() const { return batch() * devices.size(); }
  // Whole batches, so that the batches of samples do not depend on the assignment of units.
  uint64_t unit_samples() const { return (kUnitSamples + batch() - 1) / batch() * batch(); }

  // Evaluates the samples from `first` on: a batch for each device, up to `limit`.
  Result<EvalReport> of_batches(uint64_t first, uint64_t limit) {
    EvalReport report{.batch = batch(), .is_int8 = is_int8};
    std::vector<EvalSamples> given;
    std::vector<EvalScores> floats;
    for (uint64_t at = first; at < std::min(limit, first + step()); at += batch()) {
      EvalSamples samples, ordered;
      for (size_t i = 0; i < data.size(); ++i) {
        TW_ASSIGN_OR_RETURN(values, load_batch(*data[i], at, end, batch(), fp32.values()[i]));
        samples.push_back(std::move(values));
      }
      TW_ASSIGN_OR_RETURN(scores, timed(report.fp32.seconds, [&] { return fp32.run(samples); }));
      floats.push_back(std::move(scores));
      for (const size_t input : order) ordered.push_back(samples[input]);
      given.push_back(std::move(ordered));
    }
    TW_ASSIGN_OR_RETURN(scores,
                        timed(report.int8.seconds, [&] { return run_all(devices, given); }));
    for (uint64_t at = first; at < std::min({limit, end, first + step()}); ++at) {
      const size_t run = (at - first) / batch(), sample = (at - first) % batch();
      const auto label = static_cast<size_t>(labels[at]);
      const auto by_float = of_sample(floats[run], batch(), sample),
                 by_model = of_sample(scores[run], batch(), sample);
      TW_RETURN_IF_ERROR(check_scores(by_float.size(), by_model.size()));
      report.classes = by_model.size();
      count(report, label, verdict(by_float, label), verdict(by_model, label));
    }
    return report;
  }
};

namespace {

// Reads the float net with the shapes of the model. The nodes of an ONNX file depend on them.
Result<net::Network> float_net(const EvalRequest& request, const net::ImportOptions& shapes) {
  const bool is_onnx = net::is_onnx_file(request.prototxt) || net::is_onnx_file(request.caffemodel);
  if (is_onnx) {
    auto loaded = net::load_net(request.prototxt, request.caffemodel, shapes);
    if (loaded.ok()) return net::import_caffe(loaded->net, loaded->left_of(shapes));
    // The layers of a file that fixes its first extent may have been given another one.
  }
  TW_ASSIGN_OR_RETURN(loaded, net::load_net(request.prototxt, request.caffemodel,
                                            {.input_shapes = {}, .outputs = request.outputs}));
  if (!is_onnx) TW_RETURN_IF_ERROR(net::check_float_weights(loaded.net));
  return net::import_caffe(loaded.net, shapes);
}

}  // namespace

Evaluation::Evaluation(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Evaluation::~Evaluation() = default;

Result<std::unique_ptr<Evaluation>> Evaluation::open(const EvalRequest& request) {
  auto parts = std::make_unique<Parts>();
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(request.model));
  TW_RETURN_IF_ERROR(parts->open_devices(std::move(file), request.options));
  net::ImportOptions shapes;
  shapes.outputs = request.outputs;
  for (const NetTensor& input : parts->devices[0].inputs())
    shapes.input_shapes.push_back(net::make_shape({input.shape.begin(), input.shape.end()}));
  TW_ASSIGN_OR_RETURN(network, float_net(request, shapes));
  TW_ASSIGN_OR_RETURN(inputs, net::sample_inputs(network));
  TW_ASSIGN_OR_RETURN(data, open_labelled(request.data, request.data_options, inputs));
  parts->network = std::move(network);
  parts->owned = std::move(data.sets);
  parts->labels = std::move(data.labels);
  for (const auto& set : parts->owned) parts->data.push_back(set.get());
  TW_RETURN_IF_ERROR(parts->open(*parts->network, request.options));
  return std::unique_ptr<Evaluation>(new Evaluation(std::move(parts)));
}

uint64_t Evaluation::samples() const { return parts_->end; }

uint64_t Evaluation::units() const {
  return (parts_->end + parts_->unit_samples() - 1) / parts_->unit_samples();
}

Result<EvalReport> Evaluation::unit(uint64_t number) {
  const uint64_t begin = number * parts_->unit_samples(),
                 limit = std::min(parts_->end, begin + parts_->unit_samples());
  EvalReport report{.batch = parts_->batch()};
  for (uint64_t first = begin; first < limit; first += parts_->step()) {
    TW_ASSIGN_OR_RETURN(one, parts_->of_batches(first, limit));
    report += one;
  }
  return report;
}

Result<EvalReport> Evaluation::all(const EvalOptions& options) {
  EvalReport report{.batch = parts_->batch()};
  std::optional<ProgressBar> bar;
  if (options.progress) bar.emplace(parts_->end);
  for (uint64_t first = 0; first < parts_->end; first += parts_->step()) {
    TW_ASSIGN_OR_RETURN(one, parts_->of_batches(first, parts_->end));
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
  TW_ASSIGN_OR_RETURN(file, bmodel::open(std::make_shared<const MappedFile>(
                                std::vector<uint8_t>(model.begin(), model.end()))));
  TW_RETURN_IF_ERROR(parts->open_devices(std::move(file), options));
  TW_RETURN_IF_ERROR(parts->open(net, options));
  return Evaluation(std::move(parts)).all(options);
}

Result<EvalReport> evaluate_files(const EvalRequest& request) {
  TW_ASSIGN_OR_RETURN(evaluation, Evaluation::open(request));
  return evaluation->all(request.options);
}

std::string report_text(const EvalReport& r) {
  const char* const model = r.is_int8 ? "int8" : "model";
  const auto part = [&](uint64_t of) {
    return 100 * static_cast<double>(of) / static_cast<double>(r.samples);
  };
  std::string text = fmt::format("samples {}, in batches of {}\n", r.samples, r.batch);
  text += side_text("float", r.fp32, r.samples) + side_text(model, r.int8, r.samples);
  text += fmt::format("loss    {:7.2f} %\n", part(r.fp32.right) - part(r.int8.right));
  if (r.classes > kTop)
    text += fmt::format("top-{}   float {:.2f} %, {} {:.2f} %\n", kTop, part(r.fp32.in_top), model,
                        part(r.int8.in_top));
  text += fmt::format("right   both {}, float only {}, {} only {}, neither {}\n", r.both_right,
                      r.float_only, model, r.int8_only, r.both_wrong);
  text += fmt::format("agree   {} of {} samples have the same class in both\n", r.same_class,
                      r.samples);
  return text;
}

}  // namespace tputwin::tools
