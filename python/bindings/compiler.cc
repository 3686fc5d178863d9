// Calibration, compilation and evaluation of nets.
#include "bindings/binding.h"
#include "bindings/requests.h"
#include "bmnet/targets/bm1684/target.h"
#include "tools/bm168x/compile_stream.h"
#include "tools/calibrate.h"
#include "tools/compile.h"
#include "tools/eval.h"

namespace tputwin::python {
namespace {

template <class Value>
Value named(const std::map<std::string, Value>& names, const std::string& name, const char* what) {
  if (const auto found = names.find(name); found != names.end()) return found->second;
  std::string known;
  for (const auto& [each, ignored] : names) known += (known.empty() ? "" : ", ") + each;
  throw py::value_error(std::string(what) + " \"" + name + "\": expected " + known);
}

}  // namespace

net::DataOptions data_options(const py::dict& given) {
  net::DataOptions options;
  const std::map<std::string, std::function<void(py::handle)>> fields{
      {"kind",
       [&](py::handle v) {
         options.kind = named<net::DataKind>({{"auto", net::DataKind::automatic},
                                              {"images", net::DataKind::images},
                                              {"idx", net::DataKind::idx},
                                              {"raw", net::DataKind::raw},
                                              {"lmdb", net::DataKind::lmdb}},
                                             v.cast<std::string>(), "kind");
       }},
      {"mean", [&](py::handle v) { options.mean = v.cast<std::vector<float>>(); }},
      {"scale", [&](py::handle v) { options.scale = v.cast<std::vector<float>>(); }},
      {"rgb", [&](py::handle v) { options.rgb = v.cast<bool>(); }},
      {"crop", [&](py::handle v) { options.crop = v.cast<bool>(); }},
      {"letterbox", [&](py::handle v) { options.letterbox = v.cast<bool>(); }},
      {"border", [&](py::handle v) { options.border = v.cast<float>(); }},
      {"list", [&](py::handle v) { options.list = v.cast<std::string>(); }},
      {"raw_type",
       [&](py::handle v) {
         options.raw_type = named<net::RawType>(
             {{"f32", net::RawType::f32}, {"u8", net::RawType::u8}, {"i8", net::RawType::i8}},
             v.cast<std::string>(), "raw_type");
       }},
      {"resize", [&](py::handle v) {
         std::tie(options.resize_h, options.resize_w) = v.cast<std::pair<int, int>>();
       }}};
  for (const auto& [name, field] : given) fields.at(name.cast<std::string>())(field);
  return options;
}

tools::EvalRequest evaluation_request(const std::string& prototxt, const std::string& caffemodel,
                                      const std::string& model,
                                      const std::vector<std::string>& data, uint64_t samples,
                                      const std::string& output, const py::dict& preparation) {
  return {.prototxt = prototxt,
          .caffemodel = caffemodel,
          .model = model,
          .data = data,
          .data_options = data_options(preparation),
          .options = {.samples = samples, .output = output}};
}

tools::CalibrateRequest calibration_request(const std::string& prototxt,
                                            const std::string& caffemodel,
                                            const std::vector<std::string>& data,
                                            const std::string& output, const std::string& name,
                                            size_t samples, const std::string& method, double reach,
                                            const std::vector<std::vector<int64_t>>& shapes,
                                            const py::dict& preparation,
                                            const std::pair<std::string, std::string>& chip_type) {
  tools::CalibrateRequest request{.name = name,
                                  .prototxt = prototxt,
                                  .caffemodel = caffemodel,
                                  .data = data,
                                  .data_options = data_options(preparation),
                                  .shapes = shapes,
                                  .output_directory = output};
  request.options.samples = samples;
  if (!(reach >= 0 && reach <= 1)) throw py::value_error("reach: expected 0 to 1");
  if (reach > 0) request.options.reach = reach;
  request.options.method =
      named<net::ThresholdMethod>({{"kl", net::ThresholdMethod::divergence},
                                   {"mse", net::ThresholdMethod::squared_error},
                                   {"percentile", net::ThresholdMethod::percentile},
                                   {"max", net::ThresholdMethod::maximum}},
                                  method, "method");
  request.chip = named<ChipFamily>({{"bm1684", ChipFamily::bm1684},
                                    {"bm1684x", ChipFamily::bm1684x},
                                    {"bm1880", ChipFamily::bm1880}},
                                   chip_type.first, "chip");
  request.stream_type = named<DType>(
      {{"bf16", DType::bf16}, {"fp16", DType::f16}, {"int8", DType::i8}}, chip_type.second, "type");
  if (!request.is_stream() && request.stream_type != DType::i8)
    throw py::value_error("type: \"" + chip_type.second +
                          "\" needs chip=\"bm1684x\"; the BM1880 computes int8");
  return request;
}

py::dict described(const tools::CalibratedFiles& files) {
  py::dict result;
  result["caffemodel"] = files.model;
  result["table"] = files.table;
  result["table_text"] = files.table_text;
  result["prototxt"] = files.deploy;
  result["report"] = files.report;
  result["text"] = files.text;
  return result;
}

py::dict described(const tools::EvalReport& report) {
  py::dict result;
  result["samples"] = report.samples;
  result["float_right"] = report.fp32.right;
  result["int8_right"] = report.int8.right;
  result["same_class"] = report.same_class;
  result["float_seconds"] = report.fp32.seconds;
  result["int8_seconds"] = report.int8.seconds;
  result["text"] = tools::report_text(report);
  return result;
}

namespace {

// A Python function that is called from work that runs without Python's lock. The first exception
// that it raises is kept, because it cannot pass through the work.
class Progress {
 public:
  explicit Progress(py::object function) : function_(std::move(function)) {}

  std::function<void(uint64_t, uint64_t)> callback() {
    if (function_.is_none()) return {};
    return [this](uint64_t done, uint64_t total) {
      const py::gil_scoped_acquire locked;
      if (raised_) return;
      try {
        function_(done, total);
      } catch (py::error_already_set& error) {
        raised_ = std::move(error);
      }
    };
  }
  void rethrow() {
    if (raised_) throw std::move(*raised_);
  }

 private:
  py::object function_;
  std::optional<py::error_already_set> raised_;
};

// Runs the work without Python's lock.
template <class Work>
auto unlocked(Progress& progress, Work work) {
  auto result = [&] {
    const py::gil_scoped_release release;
    return work();
  }();
  progress.rethrow();
  return value(std::move(result));
}

py::dict calibrate(const std::string& prototxt, const std::string& caffemodel,
                   const std::vector<std::string>& data, const std::string& output,
                   const std::string& name, size_t samples, const std::string& method, double reach,
                   const std::vector<std::vector<int64_t>>& shapes, const py::dict& preparation,
                   const std::pair<std::string, std::string>& chip_type,
                   const py::object& progress) {
  Progress reported(progress);
  tools::CalibrateRequest request =
      calibration_request(prototxt, caffemodel, data, output, name, samples, method, reach, shapes,
                          preparation, chip_type);
  request.options.progress = reported.callback();
  return described(unlocked(reported, [&] { return tools::write_calibrated(std::move(request)); }));
}

// StreamTypes holds the arguments of the chips with command streams.
struct StreamTypes {
  std::string chip, type, input_type, output_type;
};

net::bm1684x::StreamOptions stream_options(const StreamTypes& given, const py::object& dequantized,
                                           net::Level level) {
  if (!dequantized.is_none())
    throw py::value_error("dequantized: output_type says it for the " + given.chip);
  const std::map<std::string, bool> ends{{"fp32", true}, {"net", false}};
  net::bm1684x::StreamOptions options;
  options.target =
      named<const net::bm1684x::Target*>({{"bm1684", &net::bm1684::bm1684_target()},
                                          {"bm1684x", &net::bm1684x::bm1684x_target()},
                                          {"bm1880", nullptr}},  // compiled by another compiler
                                         given.chip, "chip");
  options.type = named<DType>(
      {{"fp32", DType::f32}, {"fp16", DType::f16}, {"bf16", DType::bf16}, {"int8", DType::i8}},
      given.type, "type");
  options.float_inputs = named(ends, given.input_type, "input_type");
  options.float_outputs = named(ends, given.output_type, "output_type");
  options.level = level;
  return options;
}

py::dict report_of(const tools::CompileRequest& request, const tools::StreamResult& made) {
  py::dict result;
  size_t instructions = 0;
  uint64_t neurons = 0;
  std::vector<std::string> host;
  std::string explanation;
  for (const net::bm1684x::CompiledStream& stage : made.stages) {
    instructions += stage.program.size();
    neurons = std::max(neurons, stage.neuron_bytes);
    explanation += stage.explanation;
    for (const auto& subnet : stage.subnets) {
      instructions += subnet.program.size();
      if (!subnet.host.empty()) host.push_back(subnet.host);
    }
  }
  result["model"] = request.model;
  result["instructions"] = instructions;
  result["price_cycles"] = made.stages[0].predicted_cycles;
  result["predicted_cycles"] = made.stages[0].predicted_cycles;
  result["weight_bytes"] = made.stages[0].weights.size();
  result["neuron_bytes"] = neurons;
  result["host_operators"] = host;
  result["explanation"] = explanation;
  result["text"] = tools::stream_text(request, made);
  return result;
}

py::dict compile(const std::string& caffemodel, const std::string& table, const std::string& output,
                 const std::string& prototxt, const std::string& name,
                 const std::vector<std::vector<int64_t>>& shapes, int64_t batch, int level,
                 const py::object& dequantized, const std::array<std::string, 4>& types) {
  Progress none{py::none()};
  tools::CompileRequest request;
  request.prototxt = prototxt;
  request.caffemodel = caffemodel;
  request.table = table;
  request.shapes = shapes;
  request.batch = batch;
  request.name = name;
  request.model = output;
  if (level < 0 || level > static_cast<int>(net::Level::weight_optimization))
    throw py::value_error("level: expected 0 to 4");
  request.options.level = static_cast<net::Level>(level);
  const StreamTypes given{types[0], types[1], types[2], types[3]};
  if (given.chip != "bm1880") {
    const auto options = stream_options(given, dequantized, request.options.level);
    return report_of(request,
                     unlocked(none, [&] { return tools::compile_stream(request, options); }));
  }
  for (const std::string& type : {given.type, given.input_type, given.output_type})
    if (type != "fp32")
      throw py::value_error("type, input_type, output_type: \"" + type +
                            "\" needs chip=\"bm1684\" or \"bm1684x\"; the BM1880 computes int8");
  request.options.dequantize_outputs = !dequantized.is_none() && dequantized.cast<bool>();
  const auto made = unlocked(none, [&] { return tools::compile_caffe(request); });
  py::dict result;
  result["model"] = output;
  result["instructions"] = made.compiled.instructions;
  result["price_cycles"] = made.compiled.price_cycles;
  result["predicted_cycles"] = made.compiled.predicted_cycles;
  result["weight_bytes"] = made.compiled.weight.size();
  result["neuron_bytes"] = made.compiled.neuron_size;
  result["host_operators"] = made.compiled.cpu_operators;
  result["explanation"] = made.compiled.explanation;
  result["text"] = tools::compile_text(request, made);
  return result;
}

py::dict evaluate(const std::string& prototxt, const std::string& caffemodel,
                  const std::string& model, const std::vector<std::string>& data, uint64_t samples,
                  const std::string& output, const py::dict& preparation,
                  const py::object& progress) {
  Progress reported(progress);
  tools::EvalRequest request =
      evaluation_request(prototxt, caffemodel, model, data, samples, output, preparation);
  request.options.on_progress = reported.callback();
  return described(unlocked(reported, [&] { return tools::evaluate_files(request); }));
}

}  // namespace

void bind_compiler(py::module_& module) {
  module.def("calibrate", &calibrate);
  module.def("compile", &compile);
  module.def("evaluate", &evaluate);
}

}  // namespace tputwin::python
