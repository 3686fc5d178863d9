// Compilation for the BM1684X: reads a net, compiles, and writes the model.
#include "tools/bm168x/compile_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "base/file.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::tools {

Result<StreamResult> compile_stream(const CompileRequest& request,
                                    const net::bm1684x::StreamOptions& options) {
  net::Source source{request.prototxt, request.caffemodel, std::nullopt, {}};
  for (const auto& shape : request.shapes)
    source.import.input_shapes.push_back(net::make_shape(shape));
  source.import.batch = request.batch;
  if (!request.table.empty()) source.table = request.table;
  TW_ASSIGN_OR_RETURN(prepared, net::prepare_float(source));
  net::bm1684x::StreamOptions how = options;
  if (prepared.table.layer_size() > 0) how.table = &prepared.table;
  const auto start = std::chrono::steady_clock::now();
  TW_ASSIGN_OR_RETURN(compiled, net::bm1684x::compile(prepared.network, how));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  StreamResult result{std::move(compiled), time.count()};
  result.is_table_unused =
      options.type != DType::i8 && !request.table.empty() &&
      std::ranges::none_of(prepared.table.layer(), [](const auto& l) { return l.has_type(); });
  TW_ASSIGN_OR_RETURN(file, net::bm1684x::to_file(result.compiled, request.name));
  result.file_bytes = file.size();
  if (!request.model.empty()) TW_RETURN_IF_ERROR(write_bytes(request.model, file));
  return result;
}

std::string stream_text(const CompileRequest& request, const StreamResult& result) {
  const net::bm1684x::CompiledStream& c = result.compiled;
  const Chip& chip = c.target->chip;
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "model      {} for the {}, compiled in {:.2f} s\n", request.name, chip.name,
                 result.seconds);
  for (const auto& [end, tensors] : {std::pair("input ", &c.inputs), {"output", &c.outputs}})
    for (const net::bm1684x::StreamTensor& t : *tensors)
      fmt::format_to(out, "{}     {} ({}) {}\n", end, t.name, fmt::join(t.shape, ","),
                     to_string(t.type));
  fmt::format_to(out, "commands   {} instructions\n", c.program.size());
  fmt::format_to(out, "memory     {} bytes of weights, {} bytes of neurons\n", c.weights.size(),
                 c.neuron_bytes);
  fmt::format_to(out, "transfers  {} bytes between global and local memory\n", c.global_bytes);
  fmt::format_to(out, "predicted  {} cycles = {:.3f} ms at {:.0f} MHz\n", c.predicted_cycles,
                 static_cast<double>(c.predicted_cycles) / chip.clock_hz * 1e3,
                 chip.clock_hz / 1e6);
  return text;
}

}  // namespace tputwin::tools
