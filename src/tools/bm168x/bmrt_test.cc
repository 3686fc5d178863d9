// bmrt_test: runs of each net and stage, comparison and reports.
#include "tools/bm168x/bmrt_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/errors/tools.h"
#include "base/file.h"
#include "machine/program_cost.h"
#include "tools/bm168x/made_up.h"
#include "tools/bm168x/session168x.h"
#include "tools/bm168x/tensor_values.h"

namespace tputwin::tools {

using namespace bmodel::bm168x;

namespace {

using Buffers = Session168x::Buffers;
using Tensors = std::vector<std::unique_ptr<TensorT>>;

// Reads the tensors of a .dat file in order.
class DataFile {
 public:
  DataFile(std::string_view name, const std::optional<std::vector<uint8_t>>& bytes)
      : name_(name), bytes_(bytes) {}
  bool is_there() const { return bytes_.has_value(); }

  Result<Buffers> take(const Tensors& tensors) {
    Buffers buffers;
    for (const auto& tensor : tensors) {
      const uint64_t size = tensor_bytes(*tensor);
      if (size > bytes_->size() - at_)
        return Error(errors::cli_input_size)
            .argument(name_, fmt::format("{} bytes", bytes_->size()))
            .detail(fmt::format("{} has {} from {} on", tensor->name, size, at_));
      buffers.emplace_back(bytes_->begin() + static_cast<ptrdiff_t>(at_),
                           bytes_->begin() + static_cast<ptrdiff_t>(at_ + size));
      at_ += size;
    }
    return buffers;
  }

 private:
  std::string_view name_;
  const std::optional<std::vector<uint8_t>>& bytes_;
  uint64_t at_ = 0;
};

// Returns "" if all elements are within the tolerance.
std::string difference(std::span<const uint8_t> got, std::span<const uint8_t> expected,
                       const TensorT& tensor, const BmrtTestOptions& options) {
  const ElementType type = element_type(tensor);
  const bool is_float =
      type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16;
  uint64_t count = 0;
  std::string first;
  for (uint64_t i = 0; i < element_count(tensor); ++i) {
    const double a = value_at(got, type, i), b = value_at(expected, type, i);
    const double scale = is_float ? std::max({std::abs(a), std::abs(b), 1.0}) : 1.0;
    const double limit = is_float ? options.float_accuracy : options.int_accuracy;
    const bool near =
        a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) / scale <= limit;
    if (near) continue;
    if (count++ == 0) first = fmt::format("element {}: {:g}, expected {:g}", i, a, b);
  }
  return count == 0 ? "" : fmt::format("{}: {} differ, {}", tensor.name, count, first);
}

struct StageRun {
  const NetT& net;
  size_t index;
  const NetParameterT& stage() const { return *net.parameter[index]; }
};

bool chosen(const StageRun& run, size_t net, const BmrtTestOptions& options) {
  if (options.net && *options.net != net) return false;
  if (options.stage && *options.stage != run.index) return false;
  const auto& inputs = run.stage().input_tensor;
  return options.shapes.empty() ||
         std::equal(options.shapes.begin(), options.shapes.end(), inputs.begin(), inputs.end(),
                    [](const auto& shape_wanted, const auto& tensor) {
                      return std::ranges::equal(shape_wanted, shape(*tensor));
                    });
}

// Runs a stage `loops` x `times` times; returns the outputs of the last run.
Result<Buffers> run_stage(Session168x& session, const StageRun& run, const Buffers& inputs,
                          const BmrtTestOptions& options, std::string& text) {
  using Clock = std::chrono::steady_clock;
  Buffers outputs;
  const unsigned runs = options.loops * options.times;
  const auto start = Clock::now();
  for (unsigned i = 0; i < runs; ++i) {
    TW_ASSIGN_OR_RETURN(result, session.infer(run.net.name, run.index, inputs));
    outputs = std::move(result);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  text += fmt::format("net {} stage {}: {} runs, {:.3f} ms each\n", run.net.name, run.index, runs,
                      seconds / runs * 1e3);
  return outputs;
}

// Returns operations by name, with their share of the price.
std::string cost_text(const ProgramCost& cost, const Chip& chip) {
  std::string text = fmt::format("  {:<24} {:>8} {:>12} {:>12} {:>12}\n", "operation", "commands",
                                 "Mops", "MB moved", "cycles");
  for (const OperationCost& op : cost.operations)
    text += fmt::format("  {:<24} {:>8} {:>12.1f} {:>12.2f} {:>12}\n", op.name, op.count,
                        static_cast<double>(op.cost.macs) / 1e6,
                        static_cast<double>(op.cost.global_bytes) / 1e6, op.cost.cycles());
  return text + fmt::format("  price: {:.3f} ms at full rate on the {}\n", cost.milliseconds(chip),
                            chip.name);
}

// Returns the reports that the options select, in addition to outputs and times.
Result<std::string> details(Session168x& session, const StageRun& run, const Buffers& outputs,
                            const BmrtTestOptions& options) {
  std::string text;
  if (options.profile) {
    TW_ASSIGN_OR_RETURN(program, session.program(run.net.name, run.index));
    const Chip& chip = session.runtime().card().chip();
    text += cost_text(program_cost(program, chip), chip);
  }
  if (options.subnet_time) {
    TW_ASSIGN_OR_RETURN(seconds, session.subnet_seconds(run.net.name, run.index));
    if (seconds.empty()) text += "  subnets on the host: not timed one by one\n";
    for (size_t i = 0; i < seconds.size(); ++i)
      text += fmt::format("  subnet {}: {:.3f} ms\n", i, seconds[i] * 1e3);
  }
  for (size_t i = 0; options.debug_output && i < outputs.size(); ++i)
    text += "  " + output_text(*run.stage().output_tensor[i], outputs[i]);
  return text;
}

// Returns "" if the outputs have the requested shapes.
std::string shape_difference(const StageRun& run, const ShapeList& wanted) {
  const auto& outputs = run.stage().output_tensor;
  const bool equal = std::equal(wanted.begin(), wanted.end(), outputs.begin(), outputs.end(),
                                [](const auto& extents, const auto& tensor) {
                                  return std::ranges::equal(extents, shape(*tensor));
                                });
  if (wanted.empty() || equal) return "";
  std::string text = "  --output_shapes: the outputs are";
  for (const auto& tensor : outputs) text += fmt::format(" [{}]", fmt::join(shape(*tensor), ","));
  return text + "\n";
}

Result<BmrtTestReport> test_on_one_thread(const bmodel::OpenFile& file, const ReferenceData& data,
                                          const BmrtTestOptions& options) {
  BmrtTestReport report;
  DataFile inputs("input_ref_data.dat", data.inputs), outputs("output_ref_data.dat", data.outputs);
  TW_ASSIGN_OR_RETURN(session, Session168x::open(file));
  std::vector<uint8_t> exported, neurons;
  const auto& nets = file.bm168x()->model.net;
  for (size_t n = 0; n < nets.size(); ++n)
    for (size_t s = 0; s < nets[n]->parameter.size(); ++s) {
      const StageRun run{*nets[n], s};
      Buffers in, expected;
      if (!inputs.is_there()) in = made_up_inputs(*file.bm168x(), run.stage(), {});
      if (inputs.is_there()) {
        TW_ASSIGN_OR_RETURN(taken, inputs.take(run.stage().input_tensor));
        in = std::move(taken);
      }
      if (outputs.is_there()) {
        TW_ASSIGN_OR_RETURN(taken, outputs.take(run.stage().output_tensor));
        expected = std::move(taken);
      }
      if (!chosen(run, n, options)) continue;
      TW_ASSIGN_OR_RETURN(got, run_stage(*session, run, in, options, report.text));
      if (!options.export_neuron.empty()) {
        TW_ASSIGN_OR_RETURN(left, session->neurons(run.net.name, run.index));
        neurons.insert(neurons.end(), left.begin(), left.end());
      }
      TW_ASSIGN_OR_RETURN(more, details(*session, run, got, options));
      const std::string shapes = shape_difference(run, options.output_shapes);
      report.equal = report.equal && shapes.empty();
      report.text += more + shapes;
      for (size_t i = 0; i < got.size(); ++i) {
        exported.insert(exported.end(), got[i].begin(), got[i].end());
        if (expected.empty() || !options.compare) continue;
        const std::string wrong =
            difference(got[i], expected[i], *run.stage().output_tensor[i], options);
        report.equal = report.equal && wrong.empty();
        report.text += wrong.empty()
                           ? fmt::format("  {}: equal\n", run.stage().output_tensor[i]->name)
                           : fmt::format("  {}\n", wrong);
      }
    }
  if (!options.export_output.empty())
    TW_RETURN_IF_ERROR(write_bytes(options.export_output, exported));
  if (!options.export_neuron.empty())
    TW_RETURN_IF_ERROR(write_bytes(options.export_neuron, neurons));
  return report;
}

}  // namespace

Result<BmrtTestReport> test_nets(const bmodel::OpenFile& file, const ReferenceData& data,
                                 const BmrtTestOptions& options) {
  std::vector<std::optional<Result<BmrtTestReport>>> results(std::max(1u, options.threads));
  {
    std::vector<std::jthread> threads;
    for (auto& result : results)
      threads.emplace_back([&] { result = test_on_one_thread(file, data, options); });
  }
  BmrtTestReport all;
  for (auto& result : results) {
    if (!result->ok()) return result->error();
    all.text += (*result)->text;
    all.equal = all.equal && (*result)->equal;
  }
  return all;
}

Result<BmrtTestReport> test_directory(const std::string& directory,
                                      const BmrtTestOptions& options) {
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(directory + "/compilation.bmodel"));
  if (file.bm168x() == nullptr)
    return Error(errors::cli_bm168x).argument("--context_dir", directory);
  ReferenceData data;
  TW_ASSIGN_OR_RETURN(inputs, read_bytes(directory + "/input_ref_data.dat"));
  data.inputs = std::move(inputs);
  if (options.compare) {
    TW_ASSIGN_OR_RETURN(outputs, read_bytes(directory + "/output_ref_data.dat"));
    data.outputs = std::move(outputs);
  }
  return test_nets(file, data, options);
}

}  // namespace tputwin::tools
