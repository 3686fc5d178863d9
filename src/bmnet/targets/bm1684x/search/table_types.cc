// Types that calibration tables give to layers.
#include "bmnet/targets/bm1684x/search/table_types.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/errors/bmnet.h"
#include "bmnet/integers/table.h"
#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::net::bm1684x {

Result<DType> type_of_name(const std::string& where, const std::string& name) {
  constexpr std::pair<std::string_view, DType> kNames[] = {
      {"fp32", DType::f32}, {"fp16", DType::f16}, {"bf16", DType::bf16}, {"int8", DType::i8}};
  for (const auto& [known, type] : kNames)
    if (known == name) return type;
  return Error(errors::net_table_type)
      .in(where)
      .argument("type", name)
      .detail("it must be fp32, fp16, bf16 or int8");
}

Status check_types(const NetCalibrationParameter& table) {
  const auto check_type = [](const std::string& where, const std::string& name) -> Status {
    TW_ASSIGN_OR_RETURN(type, type_of_name(where, name));
    if (target().has_type(type)) return {};
    return Error(errors::net_table_type)
        .in(where)
        .argument("type", name)
        .detail(fmt::format("the {0} computes in fp32 and int8; calibrate again with --chip {0}; "
                            "nets of fp32 need no table",
                            table_chip(chip().family)))
        .see(target().document());
  };
  TW_RETURN_IF_ERROR(check_chip(table, chip().family));
  if (table.has_floats()) TW_RETURN_IF_ERROR(check_type("table", table.floats()));
  for (const LayerCalibrationParameter& entry : table.layer())
    if (entry.has_type()) TW_RETURN_IF_ERROR(check_type("layer " + entry.name(), entry.type()));
  return {};
}

}  // namespace tputwin::net::bm1684x
