// Plans a net without writing it: its operators, where they run, memory and time.
#include "tools/reports/dryrun.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors/base.h"
#include "bmnet/calibrate/calibrate.h"
#include "bmnet/onnx/load.h"
#include "bmnet/pipeline/prepare.h"
#include "selftest/rng.h"

namespace tputwin::tools {
namespace {

// One sample of numbers in [-1, 1).
class Noise final : public net::DataSet {
 public:
  Noise() { labels_.assign(1, -1); }
  Status sample(size_t, std::span<float> values) const override {
    testing::Rng rng(1);
    for (float& v : values) v = static_cast<float>(rng.below(1 << 16)) / (1 << 15) - 1;
    return {};
  }
  Result<net::Extents> natural_shape() const override { return net::Extents{}; }
};

std::string_view where(net::RunsOn runs_on) {
  switch (runs_on) {
    case net::RunsOn::tpu:
      return "tpu";
    case net::RunsOn::host:
      return "host";
    case net::RunsOn::code:
      return "code";
    case net::RunsOn::nothing:
      break;
  }
  return "nothing";
}

void list_rows(const net::Network& network, DryRun& run) {
  for (const net::TensorOp& op : network.ops) {
    if (is(op, net::Op::start) || is(op, net::Op::end)) continue;
    const net::RunsOn runs_on =
        net::runs_on_host(op) ? net::RunsOn::host : net::properties(op.type()).runs_on;
    std::string type = op.type();
    if (type.starts_with("tg_")) type = type.substr(3);
    run.rows.push_back({op.name(), std::move(type), std::string(where(runs_on)),
                        net::dims(op.output_shape(0)), network.blob_name(op.top(0))});
  }
}

// With a table: the net as it would be compiled.
Result<net::Prepared> prepared(const CompileRequest& request, const net::ImportOptions& import) {
  return net::prepare({request.prototxt, request.caffemodel, request.table, import});
}

// Without one: quantized by one random input, but for the scales of the file.
Result<net::Prepared> quantized(const net::LoadedNet& loaded, const net::ImportOptions& given) {
  const net::ImportOptions import = loaded.left_of(given);
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(loaded.net, import));
  const Noise noise;
  const std::vector<const net::DataSet*> data(network.inputs().size(), &noise);
  net::CalibrationOptions options{.method = net::ThresholdMethod::maximum,
                                  .batch = 1,
                                  .report_samples = 1,
                                  .equalize = false,
                                  .correct_biases = false,
                                  .input_shapes = import.input_shapes,
                                  .thresholds = loaded.thresholds,
                                  .progress = {}};
  TW_ASSIGN_OR_RETURN(calibration, net::calibrate(loaded.net, data, options));
  // The shapes and the batch of the request replace those of calibration.
  return net::prepare(std::move(calibration), import);
}

bool is_about_files(const Error& error) {
  return error.id() == errors::sys_file_read || error.id() == errors::sys_file_write;
}

}  // namespace

Result<DryRun> dry_run(const CompileRequest& request) {
  DryRun run;
  net::ImportOptions import;
  for (const auto& shape : request.shapes) import.input_shapes.push_back(net::make_shape(shape));
  import.batch = request.batch;
  import.outputs = request.outputs;
  auto loaded = net::load_net(request.prototxt, request.caffemodel, import);
  if (!loaded.ok() && is_about_files(loaded.error())) return loaded.error();
  if (!loaded.ok()) {
    run.problems.push_back(loaded.error().message());
    return run;
  }
  run.is_uncalibrated = request.table.empty() && loaded->thresholds.layer_size() == 0;
  auto model = request.table.empty() ? quantized(*loaded, import) : prepared(request, import);
  if (!model.ok()) {
    run.problems.push_back(model.error().message());
    return run;
  }
  list_rows(model->network, run);
  auto compiled = net::compile(model->network, model->table, request.options);
  if (compiled.ok())
    run.compiled = std::move(*compiled);
  else
    run.problems.push_back(compiled.error().message());
  return run;
}

std::string dry_run_text(const CompileRequest& request, const DryRun& run) {
  std::string text;
  auto out = std::back_inserter(text);
  if (!run.rows.empty())
    fmt::format_to(out, "{:<8}{:<16}{:<20}layer\n", "runs on", "operator", "result");
  size_t on_tpu = 0, on_host = 0;
  for (const DryRun::Row& row : run.rows) {
    on_tpu += row.runs_on == "tpu";
    on_host += row.runs_on == "host";
    fmt::format_to(out, "{:<8}{:<16}{:<20}{}\n", row.runs_on == "nothing" ? "-" : row.runs_on,
                   row.type, fmt::format("({})", fmt::join(row.shape, ",")), row.name);
  }
  for (const std::string& problem : run.problems) fmt::format_to(out, "refused    {}\n", problem);
  if (!run.problems.empty()) return text;
  fmt::format_to(out, "operators  {} on the TPU, {} on the host, {} that need no command\n", on_tpu,
                 on_host, run.rows.size() - on_tpu - on_host);
  const CompileResult result{run.compiled, 0};
  std::string figures = compile_text(request, result);
  figures.erase(0, figures.find('\n') + 1);  // the model that is not written
  text += figures;
  if (run.is_uncalibrated)
    text += "thresholds of inputs and outputs are those of random numbers: calibrate the net\n";
  return text;
}

Json dry_run_json(const DryRun& run) {
  Json operators = Json::array();
  for (const DryRun::Row& row : run.rows)
    operators.push_back({{"layer", row.name},
                         {"operator", row.type},
                         {"runs_on", row.runs_on},
                         {"result", row.blob},
                         {"shape", row.shape}});
  Json json = {{"compiles", run.problems.empty()},
               {"problems", run.problems},
               {"operators", std::move(operators)}};
  if (!run.problems.empty()) return json;
  json["weight_bytes"] = run.compiled.weight.size();
  json["neuron_bytes"] = run.compiled.neuron_size;
  json["instructions"] = run.compiled.instructions;
  json["predicted_cycles"] = run.compiled.predicted_cycles;
  json["host_operators"] = run.compiled.cpu_operators;
  return json;
}

}  // namespace tputwin::tools
