// The text of bmrt_print_network_info and bmrt_trace.
#include "sdk/bmrt/print.h"

#include <fmt/format.h>

#include "bmodel/bm168x/model.h"
#include "sdk/bmrt/net.h"

namespace tputwin::bmrt {

std::string net_text(const bm_net_info_t& info) {
  std::string text =
      fmt::format("net {}: {}, {} {}\n", info.name, info.is_dynamic ? "dynamic" : "static",
                  info.stage_num, info.stage_num == 1 ? "stage" : "stages");
  auto line = [&](std::string_view kind, const char* name, bm_data_type_t dtype,
                  const bm_shape_t& shape, float scale, int zero_point) {
    text +=
        fmt::format("    {:<7}{} {} {}, scale {}, zero point {}\n", kind, name, describe(shape),
                    to_string(static_cast<bmodel::bm168x::ElementType>(dtype)), scale, zero_point);
  };
  for (int i = 0; i < info.stage_num; ++i) {
    text += fmt::format("  stage {}\n", i);
    for (int k = 0; k < info.input_num; ++k)
      line("input", info.input_names[k], info.input_dtypes[k], info.stages[i].input_shapes[k],
           info.input_scales[k], info.input_zero_point[k]);
    for (int k = 0; k < info.output_num; ++k)
      line("output", info.output_names[k], info.output_dtypes[k], info.stages[i].output_shapes[k],
           info.output_scales[k], info.output_zero_point[k]);
  }
  return text;
}

}  // namespace tputwin::bmrt
