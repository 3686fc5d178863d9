// Lift: chooses the stage, lifts it, writes both programs.
#include "tools/lift/lift.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors/bmrt.h"
#include "base/errors/tools.h"
#include "tools/lift/call_text.h"

namespace tputwin::lift {

using namespace bmodel::bm168x;

namespace {

Result<const NetT*> choose(const File& file, const Options& options) {
  const auto& nets = file.model.net;
  std::vector<std::string> names;
  for (const auto& net : nets) {
    const bool wanted = options.net.empty() ? nets.size() == 1 : net->name == options.net;
    if (wanted && options.stage >= net->parameter.size())
      return Error(errors::cli_stage)
          .argument("--net " + net->name, fmt::format("stage {}", options.stage))
          .detail(fmt::format("it has {}, counted from 0", net->parameter.size()));
    if (wanted) return static_cast<const NetT*>(net.get());
    names.push_back(net->name);
  }
  return Error(errors::brt_net)
      .argument("--net", options.net.empty() ? "not given" : options.net)
      .detail(fmt::format("the file has {}", fmt::join(names, ", ")));
}

// Returns the offset from the first byte of the binary part.
uint64_t weights_start(const Stage& stage) {
  const auto& memory = stage.file->coeff_mem;
  return memory != nullptr && memory->binary_coeff != nullptr ? memory->binary_coeff->start() : 0;
}

}  // namespace

Result<Program> lift(const File& file, const Options& options, Recorder& recorder) {
  TW_ASSIGN_OR_RETURN(net, choose(file, options));
  TW_ASSIGN_OR_RETURN(stage, read_stage(file, *net, options.stage, recorder));
  const Naming naming{options.kernel.empty() ? "lifted_" + identifier(net->name) : options.kernel,
                      options.model};
  Program program;
  program.kernel = kernel_text(stage, naming, recorder.chip(), program.tally);
  program.host =
      host_text(stage, naming, recorder.chip(), options.binary_at + weights_start(stage));
  return program;
}

Result<Program> lift(const File& file, const Options& options) {
  TW_ASSIGN_OR_RETURN(recorder, Recorder::create(*chip_of(file.model)));
  return lift(file, options, *recorder);
}

}  // namespace tputwin::lift
