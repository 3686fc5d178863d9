// tputwin run of bmodels of the BM1880.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "base/errors/tools.h"
#include "base/file.h"
#include "base/last_error.h"
#include "tools/commands/command.h"
#include "tools/commands/run_command.h"
#include "tools/net.h"

namespace tputwin::tools {
namespace {

// Returns the bytes of a file that holds all inputs, one after the other.
Result<std::vector<uint8_t>> read_raw_inputs(const std::string& path, const bmodel::Model& model) {
  uint64_t most = 0;
  for (const bmodel::Variety& variety : model.varieties)
    most = std::max(most, variety.input_bytes());
  return read_bytes(path, most_to_read(most));
}

// Returns the array of a file .npy, or raw bytes as one of the input's type.
Result<Array> read_input(const std::string& path, const bmodel::Input& input) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path, most_to_read(input.bytes() * sizeof(double))));
  if (path.ends_with(".npy")) {
    auto array = read_npy(std::move(bytes));
    return array.ok() ? std::move(array) : Result<Array>(in_call(array.error(), path));
  }
  const auto element = static_cast<uint32_t>(bmodel::element_bytes(input.fmt));
  if (bytes.size() != input.bytes())
    return Error(errors::cli_input_size)
        .argument(path, fmt::format("{} bytes", bytes.size()))
        .detail(fmt::format("the input {} has {}", bmodel::to_string(input.shape), input.bytes()));
  return Array{element == sizeof(float) ? 'f' : 'i', element, {}, std::move(bytes)};
}

// Returns the arrays of an .npz in the order of the inputs. One array may have any name if the net
// has one input.
Result<std::vector<Array>> arrays_of(const std::string& path,
                                     const std::vector<std::string>& names) {
  TW_ASSIGN_OR_RETURN(archive, read_npz(path));
  std::vector<Array> arrays;
  for (const std::string& name : names) {
    auto found = archive.find(name);
    if (found == archive.end() && names.size() == 1 && archive.size() == 1) found = archive.begin();
    if (found == archive.end())
      return Error(errors::cli_inputs)
          .argument("--input " + path, "no array " + name)
          .detail(fmt::format("the net takes {}", fmt::join(names, ", ")));
    arrays.push_back(std::move(found->second));
  }
  return arrays;
}

// Reads the files of --input: one with the bytes of all inputs, or one for each, or an .npz.
Result<std::vector<uint8_t>> read_inputs(const RunCommand& command, const bmodel::Model& model) {
  const std::vector<std::string>& paths = command.inputs;
  if (paths.size() == 1 && !is_array_file(paths[0])) return read_raw_inputs(paths[0], model);
  if (paths.empty())
    return Error(errors::cli_inputs)
        .argument("--input", "given 0 times")
        .detail("raw bytes of all inputs in one file will do for a model of the BM1880");
  TW_ASSIGN_OR_RETURN(index, find_variety(model, command.options.shapes));
  const bmodel::Variety& variety = model.varieties[index];
  std::vector<std::string> names = command.input_names;
  for (size_t i = names.size(); i < variety.inputs.size(); ++i)
    names.push_back(fmt::format("input{}", i));
  std::vector<Array> arrays;
  if (paths.size() == 1 && paths[0].ends_with(".npz")) {
    TW_ASSIGN_OR_RETURN(found, arrays_of(paths[0], names));
    return input_bytes(variety, found, names);
  }
  if (paths.size() != variety.inputs.size())
    return Error(errors::cli_inputs)
        .argument("--input", fmt::format("given {} times", paths.size()))
        .detail(fmt::format("the net has {} inputs: {}", variety.inputs.size(),
                            fmt::join(names, ", ")));
  for (size_t i = 0; i < paths.size(); ++i) {
    TW_ASSIGN_OR_RETURN(array, read_input(paths[i], variety.inputs[i]));
    arrays.push_back(std::move(array));
  }
  return input_bytes(variety, arrays, names);
}

Status write_outputs(const std::string& path, const bmodel::Variety& variety,
                     const std::vector<uint8_t>& bytes) {
  if (path.empty()) return {};
  if (is_array_file(path)) return write_array_file(path, output_arrays(variety, bytes));
  return write_bytes(path, bytes);
}

}  // namespace

int run_bm1880(RunCommand& command, std::span<const uint8_t> file, const bmodel::Model& model) {
  if (Status s = refuse_options({{"--net", !command.net.empty()},
                                 {"--stage", command.stage.has_value()},
                                 {"--all-stages", command.all_stages},
                                 {"--dequantize", command.dequantize},
                                 {"--cpuops", !command.host_libraries.empty()}},
                                "BM1880");
      !s.ok())
    return fail("tputwin", s.error());
  auto input = read_inputs(command, model);
  if (!input.ok()) return fail("tputwin", input.error());
  command.options.progress = isatty(STDERR_FILENO) != 0;
  auto report = run_model(file, *input, command.options);
  if (!report.ok()) return print(report.error(), command.model);
  print_report(command, report_text(model, *report, command.options));
  const auto written =
      write_outputs(command.output, model.varieties[report->variety], report->output);
  if (!written.ok()) return fail("tputwin", written.error());
  return finish_run(command, run_json(model, *report), report->output);
}

}  // namespace tputwin::tools
