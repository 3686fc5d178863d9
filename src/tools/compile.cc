// Compilation: reads a net and its table, compiles, and writes the requested files.
#include "tools/compile.h"

#include <fmt/format.h>
#include <google/protobuf/text_format.h>

#include <charconv>
#include <chrono>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "base/plugin_folder.h"
#include "bmnet/api/cpu_call.h"
#include "bmnet/integers/table.h"
#include "bmnet/onnx/load.h"
#include "bmnet/pipeline/prepare.h"

namespace tputwin::tools {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Result<net::Prepared> read_model(const CompileRequest& request) {
  const bool is_onnx = net::is_onnx_file(request.caffemodel) || net::is_onnx_file(request.prototxt);
  if (request.table.empty() && !is_onnx)
    return Error(errors::net_cli)
        .in("compile")
        .argument("--table", "missing")
        .detail("only quantized ONNX has thresholds of its own");
  net::Source source{request.prototxt, request.caffemodel, std::nullopt, {}};
  if (!request.table.empty()) source.table = request.table;
  for (const auto& shape : request.shapes)
    source.import.input_shapes.push_back(net::make_shape(shape));
  source.import.batch = request.batch;
  source.import.outputs = request.outputs;
  return net::prepare(source);
}

Status write_model(const CompileRequest& request, const net::Compiled& compiled) {
  bmodel::Model model = net::to_model(compiled, request.name);
  const std::string plugins =
      request.plugin_directory.empty() ? shipped_plugins() : request.plugin_directory;
  TW_RETURN_IF_ERROR(net::add_plugins(model, compiled.cpu_operators, plugins));
  return bmodel::write_file(model, bmodel::Container::v2_1, request.model);
}

Status write_files(const CompileRequest& request, const net::Compiled& compiled,
                   const NetCalibrationParameter& table) {
  if (!request.model.empty()) TW_RETURN_IF_ERROR(write_model(request, compiled));
  if (!request.ir.empty()) {
    std::string text;
    google::protobuf::TextFormat::PrintToString(compiled.optimized, &text);
    TW_RETURN_IF_ERROR(write_bytes(request.ir, bytes_of(text)));
  }
  if (!request.commands.empty()) TW_RETURN_IF_ERROR(write_bytes(request.commands, compiled.cmdbuf));
  if (!request.weights.empty()) TW_RETURN_IF_ERROR(write_bytes(request.weights, compiled.weight));
  if (!request.out_table.empty()) TW_RETURN_IF_ERROR(net::write_table(table, request.out_table));
  return Status();
}

}  // namespace

Error about_table(const CompileRequest& request, const Error& error) {
  if (error.id() != errors::net_table_entry || !request.table.empty()) return error;
  return Error(errors::net_cli)
      .in("compile")
      .argument("--table", "missing")
      .detail(fmt::format(
          "neither a table nor scales of the file give a threshold {}; run tputwin "
          "calibrate first, which keeps the scales of a quantized file, or give --table",
          error.detail().starts_with("of blob") ? error.detail().substr(0, error.detail().find(';'))
                                                : "of " + error.call()));
}

Result<CompileResult> compile_caffe(const CompileRequest& request) {
  auto model = read_model(request);
  if (!model.ok()) return about_table(request, model.error());
  const double start = now();
  auto compiled = net::compile(model->network, model->table, request.options);
  if (!compiled.ok()) return about_table(request, compiled.error());
  CompileResult result{std::move(*compiled), now() - start};
  TW_RETURN_IF_ERROR(write_files(request, result.compiled, model->table));
  return result;
}

std::string compile_text(const CompileRequest& request, const CompileResult& result) {
  const net::Compiled& c = result.compiled;
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "model      {}, level {}, compiled in {:.2f} s\n", request.name,
                 static_cast<int>(request.options.level), result.seconds);
  for (const bmodel::Input& i : c.inputs)
    fmt::format_to(out, "input      {} threshold {}\n", bmodel::to_string(i.shape), i.threshold);
  for (const bmodel::Output& o : c.outputs)
    fmt::format_to(out, "output     {} {} threshold {}\n", o.name, bmodel::to_string(o.shape),
                   o.threshold);
  fmt::format_to(out, "commands   {} instructions, {} bytes\n", c.instructions, c.cmdbuf.size());
  fmt::format_to(out, "memory     {} bytes of weights, {} bytes of neurons\n", c.weight.size(),
                 c.neuron_size);
  fmt::format_to(out, "transfers  {} bytes between global and local memory\n", c.global_bytes);
  // Uses the terms and numbers of `tputwin info`.
  fmt::format_to(out, "predicted  {} cycles = {:.3f} ms at 1000 MHz\n", c.predicted_cycles,
                 static_cast<double>(c.predicted_cycles) / 1e6);
  for (const std::string& name : c.cpu_operators) fmt::format_to(out, "host       {}\n", name);
  return text;
}

Result<std::vector<int64_t>> parse_shape(const std::string& text) {
  std::vector<int64_t> shape;
  const char *at = text.data(), *end = text.data() + text.size();
  while (at != end) {
    int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 1 || (next != end && *next != ','))
      return Error(errors::net_cli).argument("shape", text).detail("expected n,c,h,w");
    shape.push_back(extent);
    at = next == end ? end : next + 1;
  }
  if (shape.empty()) return Error(errors::net_cli).argument("shape", "\"\"");
  return shape;
}

}  // namespace tputwin::tools
