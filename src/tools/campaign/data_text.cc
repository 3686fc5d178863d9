// Options of data sets as text.
#include "tools/campaign/data_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tputwin::tools {

std::string text_of(const net::DataOptions& d) {
  const auto joined = [](const std::vector<float>& values) { return fmt::join(values, " "); };
  const auto text = [](const net::Extents& e) { return fmt::format("{},{},{}", e.c, e.h, e.w); };
  return fmt::format("{} {} {}|{}|{}|{} {} {} {} {} {} {} {} {}", static_cast<int>(d.kind),
                     static_cast<int>(d.raw_type), text(d.shape), joined(d.mean), joined(d.scale),
                     joined(d.mean_image), text(d.mean_shape), d.rgb, d.crop, d.letterbox, d.border,
                     d.resize_h, d.resize_w, d.list);
}

}  // namespace tputwin::tools
