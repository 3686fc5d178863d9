// Compilation for the BM1684X: reads a net, compiles, and writes the model.
#include "tools/bm168x/compile_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>

#include "base/errors/base.h"
#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/thresholds.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::tools {

namespace stream = net::bm1684x;

namespace {

net::Source source_of(const CompileRequest& request, ChipFamily chip) {
  net::Source source{request.prototxt, request.caffemodel, std::nullopt, {}, chip};
  source.import.batch = request.batch;
  source.import.outputs = request.outputs;
  source.import.has_subnets = true;
  if (!request.table.empty()) source.table = request.table;
  return source;
}

// Reads the net for every stage. Its shapes are those of one stage after the other.
Result<std::vector<net::Prepared>> read_stages(const CompileRequest& request, net::Source source) {
  const auto& shapes = request.shapes;
  for (size_t inputs = 1;; ++inputs) {
    if (!shapes.empty() && shapes.size() % inputs != 0) continue;
    std::vector<net::Prepared> stages;
    for (size_t first = 0; first == 0 || first < shapes.size(); first += inputs) {
      source.import.input_shapes.clear();
      for (size_t i = first; i < std::min(first + inputs, shapes.size()); ++i)
        source.import.input_shapes.push_back(net::make_shape(shapes[i]));
      auto stage = net::prepare_float(source);
      // Another number of inputs may divide the shapes.
      const bool is_count = !stage.ok() && stage.error().id() == errors::net_input_shape;
      if (is_count && first == 0 && inputs < shapes.size()) break;
      if (!stage.ok()) return stage.error();
      stages.push_back(std::move(*stage));
    }
    if (!stages.empty()) return stages;
  }
}

// True for the names of a layer and of what it becomes: NAME/WHAT.
bool is_part(std::string_view part, std::string_view layer) {
  return part.starts_with(layer) && (part.size() == layer.size() || part[layer.size()] == '/');
}

std::vector<std::string> unused_of(const NetCalibrationParameter& table,
                                   const net::Network& network, DType type) {
  if (type != DType::i8 &&
      std::ranges::none_of(table.layer(), [](const auto& l) { return l.has_type(); }))
    return {"the table is not used: --type is not int8, and no layer has a type"};
  std::set<const LayerCalibrationParameter*> found;
  for (const net::TensorOp& op : network.ops) found.insert(net::find_entry(table, op));
  std::vector<std::string> unused;
  for (const LayerCalibrationParameter& entry : table.layer()) {
    if (!entry.has_type()) continue;
    const bool is_known =
        found.contains(&entry) || std::ranges::any_of(network.ops, [&](const net::TensorOp& op) {
          return is_part(entry.name(), op.name()) || is_part(op.name(), entry.name());
        });
    const char* why = !is_known ? "the net has no such layer, or joins it with another"
                      : type != DType::i8 && entry.type() == "int8" ? "bytes need --type int8"
                                                                    : nullptr;
    if (why != nullptr)
      unused.push_back(fmt::format("the type {} of layer {} in the table is not used: {}",
                                   entry.type(), entry.name(), why));
  }
  return unused;
}

Result<StreamResult> compile_all(const CompileRequest& request,
                                 std::vector<net::Prepared>& prepared,
                                 stream::StreamOptions options) {
  NetCalibrationParameter& table = prepared[0].table;
  const bool has_own_scales = request.table.empty() && table.layer_size() > 0;
  if (has_own_scales && options.type == DType::i8 && options.float_outputs)
    net::keep_unscaled_end_in_floats(prepared[0].network, table);
  if (table.layer_size() > 0) options.table = &table;
  std::vector<std::string> unused;
  if (!request.table.empty()) unused = unused_of(table, prepared[0].network, options.type);
  std::vector<net::Network> networks;
  for (net::Prepared& stage : prepared) networks.push_back(std::move(stage.network));
  const auto start = std::chrono::steady_clock::now();
  auto compiled = stream::compile_stages(networks, options);
  if (!compiled.ok()) return about_table(request, compiled.error());
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  StreamResult result{options.target, std::move(*compiled), time.count()};
  result.unused = std::move(unused);
  return result;
}

size_t commands_of(const stream::CompiledStream& c) {
  size_t commands = c.program.size();
  for (const auto& subnet : c.subnets) commands += subnet.program.size();
  return commands;
}

double milliseconds(const stream::CompiledStream& c) {
  return static_cast<double>(c.predicted_cycles) / c.target->chip.clock_hz * 1e3;
}

void add_stage(std::string& text, const stream::CompiledStream& c) {
  auto out = std::back_inserter(text);
  for (const auto& [end, tensors] : {std::pair("input ", &c.inputs), {"output", &c.outputs}})
    for (const stream::StreamTensor& t : *tensors)
      fmt::format_to(out, "{}     {} ({}) {}{}\n", end, t.name, fmt::join(t.shape, ","),
                     to_string(t.type), t.scale == 1 ? "" : fmt::format(" * {:g}", t.scale));
  fmt::format_to(out, "commands   {} instructions\n", commands_of(c));
  for (const auto& subnet : c.subnets)
    if (!subnet.host.empty()) fmt::format_to(out, "host       {}\n", subnet.host);
  fmt::format_to(out, "memory     {} bytes of weights, {} bytes of neurons\n", c.weights.size(),
                 c.neuron_bytes);
  fmt::format_to(out, "transfers  {} bytes between global and local memory\n", c.global_bytes);
  fmt::format_to(out, "predicted  {} cycles = {:.3f} ms at {:.0f} MHz{}\n", c.predicted_cycles,
                 milliseconds(c), c.target->chip.clock_hz / 1e6,
                 c.subnets.empty() ? "" : ", without the operators of the host");
}

Json tensors_json(const std::vector<stream::StreamTensor>& tensors) {
  Json list = Json::array();
  for (const stream::StreamTensor& t : tensors)
    list.push_back({{"name", t.name},
                    {"shape", t.shape},
                    {"type", std::string(to_string(t.type))},
                    {"scale", t.scale}});
  return list;
}

Json stage_json(const stream::CompiledStream& c) {
  Json host = Json::array();
  for (const auto& subnet : c.subnets)
    if (!subnet.host.empty()) host.push_back(subnet.host);
  return {{"inputs", tensors_json(c.inputs)},
          {"outputs", tensors_json(c.outputs)},
          {"instructions", commands_of(c)},
          {"weight_bytes", c.weights.size()},
          {"neuron_bytes", c.neuron_bytes},
          {"global_bytes", c.global_bytes},
          {"predicted_cycles", c.predicted_cycles},
          {"predicted_ms", milliseconds(c)},
          {"host_operators", host}};
}

// A table with the threshold 1 for all tensors.
NetCalibrationParameter ones(const net::Network& network) {
  NetCalibrationParameter table;
  for (const net::TensorOp& op : network.ops) {
    auto& layer = *table.add_layer();
    layer.set_name(op.name());
    for (const std::string& top : op.top()) {
      auto& blob = *layer.add_blob_param();
      blob.set_name(network.blob_name(top));
      blob.set_threshold_y(1);
    }
  }
  return table;
}

}  // namespace

Result<StreamResult> compile_stream(const CompileRequest& request,
                                    const stream::StreamOptions& options) {
  TW_ASSIGN_OR_RETURN(prepared,
                      read_stages(request, source_of(request, options.target->chip.family)));
  TW_ASSIGN_OR_RETURN(result, compile_all(request, prepared, options));
  TW_ASSIGN_OR_RETURN(file,
                      stream::to_file(result.stages, request.name, request.options.layer_names));
  result.file_bytes = file.size();
  if (!request.model.empty()) TW_RETURN_IF_ERROR(write_bytes(request.model, file));
  return result;
}

std::string stream_text(const CompileRequest& request, const StreamResult& result) {
  std::string text = fmt::format("model      {} for the {}, compiled in {:.2f} s\n", request.name,
                                 result.target->chip.name, result.seconds);
  for (size_t i = 0; i < result.stages.size(); ++i) {
    if (result.stages.size() > 1) text += fmt::format("stage      {}\n", i);
    add_stage(text, result.stages[i]);
  }
  return text;
}

Json stream_json(const CompileRequest& request, const StreamResult& result) {
  Json json{{"name", request.name},      {"chip", std::string(result.target->chip.name)},
            {"seconds", result.seconds}, {"file_bytes", result.file_bytes},
            {"stages", Json::array()},   {"unused", result.unused}};
  for (const auto& stage : result.stages) json["stages"].push_back(stage_json(stage));
  return json;
}

Result<StreamPlan> plan_stream(const CompileRequest& request,
                               const stream::StreamOptions& options) {
  StreamPlan plan;
  plan.result.target = options.target;
  auto prepared = read_stages(request, source_of(request, options.target->chip.family));
  if (!prepared.ok() && prepared.error().id() == errors::sys_file_read) return prepared.error();
  if (!prepared.ok()) {
    plan.problem = prepared.error().message();
    return plan;
  }
  stream::StreamOptions how = options;
  how.places = &plan.places;
  if (options.type == DType::i8 && (*prepared)[0].table.layer_size() == 0)
    (*prepared)[0].table = ones((*prepared)[0].network);
  auto result = compile_all(request, *prepared, how);
  if (result.ok())
    plan.result = std::move(*result);
  else
    plan.problem = result.error().message();
  return plan;
}

std::string plan_text(const CompileRequest& request, const StreamPlan& plan) {
  std::string text;
  auto out = std::back_inserter(text);
  size_t on_tpu = 0, on_host = 0;
  if (!plan.places.empty())
    fmt::format_to(out, "{:<8}{:<16}{:<20}layer\n", "runs on", "operator", "result");
  for (const stream::LayerPlace& place : plan.places) {
    on_tpu += place.runs_on == "tpu";
    on_host += place.runs_on == "host";
    const std::string where = !place.problem.empty()       ? "refused"
                              : place.runs_on == "nothing" ? "-"
                                                           : place.runs_on;
    fmt::format_to(out, "{:<8}{:<16}{:<20}{}\n", where, place.type.substr(0, place.type.find(' ')),
                   fmt::format("({})", fmt::join(place.shape, ",")), place.name);
  }
  if (!plan.problem.empty()) {
    fmt::format_to(out, "refused    {}\n", plan.problem);
    return text;
  }
  fmt::format_to(out, "operators  {} on the TPU, {} on the host, {} that need no command\n", on_tpu,
                 on_host, plan.places.size() - on_tpu - on_host);
  std::string figures = stream_text(request, plan.result);
  figures.erase(0, figures.find('\n') + 1);  // the model that is not written
  return text + figures;
}

Json plan_json(const CompileRequest& request, const StreamPlan& plan) {
  Json json = stream_json(request, plan.result);
  json.erase("seconds");
  json.erase("file_bytes");
  json["operators"] = Json::array();
  for (const stream::LayerPlace& place : plan.places) {
    Json one{{"layer", place.name},
             {"operator", place.type},
             {"runs_on", place.runs_on},
             {"shape", place.shape}};
    if (!place.problem.empty()) one["problem"] = place.problem;
    json["operators"].push_back(std::move(one));
  }
  json["problems"] = Json::array();
  if (!plan.problem.empty()) json["problems"].push_back(plan.problem);
  return json;
}

}  // namespace tputwin::tools
