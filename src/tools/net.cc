// Shared parts of the nets of all chips.
#include "tools/net.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors/tools.h"
#include "bmnet/integers/rules.h"

namespace tputwin::tools {

uint64_t NetTensor::count() const {
  uint64_t count = 1;
  for (uint64_t extent : shape) count *= extent;
  return count;
}

Status Net::check_inputs(std::span<const Array> arrays) const {
  if (arrays.size() != inputs_.size())
    return Error(errors::cli_inputs)
        .in(name_)
        .argument("inputs", fmt::format("{} arrays", arrays.size()))
        .detail(fmt::format("the net takes {}", inputs_.size()));
  for (size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].count() != inputs_[i].count())
      return Error(errors::cli_input_size)
          .in(name_)
          .argument(inputs_[i].name, fmt::format("{} elements", arrays[i].count()))
          .detail(fmt::format("the net takes ({})", fmt::join(inputs_[i].shape, ",")));
  return {};
}

Result<std::unique_ptr<Net>> open_net(std::shared_ptr<const bmodel::OpenFile> file,
                                      const NetChoice& choice) {
  return file->bm168x() != nullptr ? open_net168x(std::move(file), choice)
                                   : open_net1880(std::move(file), choice);
}

int8_t quantized(float value, float threshold) {
  return static_cast<int8_t>(net::round_to_int8(value * 128 / threshold));
}

}  // namespace tputwin::tools
