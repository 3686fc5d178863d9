#include "resnet.h"

#include <utility>

#include "bmodel/bmodel.h"
#include "chip/chip.h"
#include "classics/compiled.h"
#include "insight/timing/commands.h"
#include "isa/bm1880_codec.h"
#include "machine/program_cost.h"

namespace {

using namespace tputwin;

Status make(const std::string& plugins, ResNet& net) {
  TW_ASSIGN_OR_RETURN(classic, models::compile_classic("resnet50", plugins));
  TW_ASSIGN_OR_RETURN(model, bmodel::read(classic.bmodel));
  TW_ASSIGN_OR_RETURN(program, isa::decode_program(model.varieties.front().cmdbuf, bm1880()));
  const ProgramCost cost = program_cost(program, bm1880());
  net.bmodel = std::move(classic.bmodel);
  net.instructions = cost.instructions;
  net.macs = static_cast<double>(cost.cost.macs);
  net.chip_ms =
      static_cast<double>(insight::predicted_cycles(program, bm1880())) / bm1880().clock_hz * 1e3;
  return {};
}

}  // namespace

bool make_resnet(const std::string& plugins, ResNet& net, std::string& reason) {
  const Status status = make(plugins, net);
  if (!status.ok()) reason = status.error().message();
  return status.ok();
}
