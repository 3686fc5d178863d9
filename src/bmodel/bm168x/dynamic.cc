// Detection of dynamic stages, and the reason why they are neither run nor priced.
#include "bmodel/bm168x/dynamic.h"

#include <fmt/format.h>

#include "base/errors/bmrt.h"

namespace tputwin::bmodel::bm168x {

std::string stage_name(const NetT& net, size_t index) {
  return fmt::format("net {} stage {}", net.name, index);
}

std::string dynamic_reason(const NetParameterT& stage) {
  if (!is_dynamic(stage)) return "";
  std::string subject = "the stage";
  for (const auto& subnet : stage.sub_net)
    if (subnet->is_dynamic != 0) {
      subject = fmt::format("subnet {}", subnet->id);
      break;
    }
  return fmt::format(
      "it is dynamic: {} has code for the chip's firmware and no commands that could be run, "
      "priced or shown",
      subject);
}

Status check_static(const NetParameterT& stage, std::string_view place) {
  std::string reason = dynamic_reason(stage);
  if (reason.empty()) return {};
  return Error(errors::brt_subnet).argument(place, "dynamic").detail(std::move(reason));
}

}  // namespace tputwin::bmodel::bm168x
