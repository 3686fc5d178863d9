// Reports as JSON. Names are those of the texts; times are in seconds.
#include "tools/reports/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "bmodel/containers.h"
#include "tools/info.h"
#include "tools/recorded_steps.h"
#include "tools/run_times.h"

namespace tputwin::tools {
namespace {

// Most differences that are listed.
constexpr size_t kShownDifferences = 10;

Json tensor_json(const std::vector<uint32_t>& shape, uint32_t type, float threshold) {
  return {{"shape", shape}, {"type", format_name(type)}, {"threshold", threshold}};
}

Json side_json(const EvalReport::Side& side, uint64_t samples) {
  return {{"right", side.right},
          {"accuracy", static_cast<double>(side.right) / static_cast<double>(samples)},
          {"top5", side.in_top},
          {"seconds", side.seconds}};
}

}  // namespace

Json times_json(std::span<const double> sorted, uint64_t images, double wall_seconds) {
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {{"runs", sorted.size()},
          {"fastest", sorted.front()},
          {"median", percentile(sorted, 50)},
          {"p99", percentile(sorted, 99)},
          {"average", sum / static_cast<double>(sorted.size())},
          {"images_per_second", static_cast<double>(images * sorted.size()) / wall_seconds}};
}

Json warnings_json(const std::vector<WarningCount>& warnings) {
  Json list = Json::array();
  for (const WarningCount& warning : warnings)
    list.push_back({{"id", warning.sample.code()},
                    {"count", warning.count},
                    {"message", warning.sample.message()}});
  return list;
}

Json run_json(const bmodel::Model& model, const RunReport& report) {
  const bmodel::Variety& variety = model.varieties[report.variety];
  Json json{{"model", model.name}, {"container", to_string(model.container)}, {"chip", model.chip}};
  json["inputs"] = Json::array();
  for (const bmodel::Input& input : variety.inputs)
    json["inputs"].push_back(tensor_json(input.shape, input.fmt, input.threshold));
  json["outputs"] = Json::array();
  for (const bmodel::Output& output : variety.outputs) {
    Json one = tensor_json(output.shape, output.fmt, output.threshold);
    one["name"] = output.name;
    json["outputs"].push_back(std::move(one));
  }
  json["instructions"] = report.cost.instructions;
  json["macs"] = report.cost.cost.macs;
  json["global_bytes"] = report.cost.cost.global_bytes;
  json["price_cycles"] = report.cost.elapsed_cycles;
  json["predicted_cycles"] = report.predicted_cycles;
  const bool has_batch = !variety.inputs.empty() && !variety.inputs.front().shape.empty();
  json["time"] = times_json(report.seconds, has_batch ? variety.inputs.front().shape.front() : 1,
                            report.wall_seconds);
  if (report.own_memory) json["own_memory"] = *report.own_memory;
  json["warnings"] = warnings_json(report.warnings);
  if (report.account != 0) json["account"] = account_json(report.steps, report.account);
  return json;
}

Json comparison_json(const Comparison& comparison, const std::string& path) {
  Json json{{"file", path},
            {"bytes", comparison.count},
            {"equal", comparison.equal()},
            {"different", comparison.differences.size()},
            {"similarity", comparison.similarity}};
  json["first"] = Json::array();
  for (size_t i = 0; i < std::min(kShownDifferences, comparison.differences.size()); ++i) {
    const Difference& d = comparison.differences[i];
    json["first"].push_back({{"index", d.index}, {"actual", d.first}, {"expected", d.second}});
  }
  return json;
}

Json compile_json(const CompileRequest& request, const CompileResult& result) {
  const net::Compiled& c = result.compiled;
  Json json{{"name", request.name},
            {"level", static_cast<int>(request.options.level)},
            {"seconds", result.seconds}};
  json["inputs"] = Json::array();
  for (const bmodel::Input& i : c.inputs)
    json["inputs"].push_back(tensor_json(i.shape, i.fmt, i.threshold));
  json["outputs"] = Json::array();
  for (const bmodel::Output& o : c.outputs) {
    Json one = tensor_json(o.shape, o.fmt, o.threshold);
    one["name"] = o.name;
    json["outputs"].push_back(std::move(one));
  }
  json["instructions"] = c.instructions;
  json["command_bytes"] = c.cmdbuf.size();
  json["weight_bytes"] = c.weight.size();
  json["neuron_bytes"] = c.neuron_size;
  json["global_bytes"] = c.global_bytes;
  json["price_cycles"] = c.price_cycles;
  json["predicted_cycles"] = c.predicted_cycles;
  json["host_operators"] = c.cpu_operators;
  return json;
}

Json eval_json(const EvalReport& r) {
  const std::string model = r.is_int8 ? "int8" : "model";
  return {{"samples", r.samples},
          {"batch", r.batch},
          {"float", side_json(r.fp32, r.samples)},
          {model, side_json(r.int8, r.samples)},
          {"both_right", r.both_right},
          {"float_only", r.float_only},
          {model + "_only", r.int8_only},
          {"both_wrong", r.both_wrong},
          {"same_class", r.same_class}};
}

Json layers_json(const std::vector<TensorComparison>& rows) {
  Json list = Json::array();
  for (const TensorComparison& r : rows)
    list.push_back({{"layer", r.layer},
                    {"type", r.type},
                    {"tensor", r.tensor},
                    {"threshold", r.threshold},
                    {"cosine", r.cosine},
                    {"sqnr_db", r.sqnr_db},
                    {"clipped", r.clipped},
                    {"worst",
                     {{"sample", r.sample},
                      {"element", r.element},
                      {"float", r.expected},
                      {"int8", r.actual}}}});
  return list;
}

Json selftest_json(const std::vector<TargetReport>& reports) {
  Json list = Json::array();
  for (const TargetReport& r : reports)
    list.push_back({{"isa", r.isa},
                    {"ok", r.ok()},
                    {"operations", r.operations},
                    {"recorded", r.recorded},
                    {"difference", r.difference},
                    {"rerun", r.rerun}});
  return list;
}

void print_json(const Json& json) {
  // Invalid UTF-8 (names in files) becomes U+FFFD instead of an exception.
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fputs(text.c_str(), stdout);
}

}  // namespace tputwin::tools
