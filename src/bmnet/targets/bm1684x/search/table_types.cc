// Types that calibration tables give to layers, and options that a target does not have.
#include "bmnet/targets/bm1684x/search/table_types.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/errors/bmnet.h"
#include "bmnet/integers/table.h"
#include "bmnet/targets/bm1684x/search/mixed_types.h"
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

Result<DType> floats_of(const NetCalibrationParameter& table) {
  const auto type = type_of_name("table", table.floats());
  if (type.ok() && *type != DType::i8 && target().has_type(*type)) return type;
  std::string names;
  for (const DType known : {DType::f32, DType::f16, DType::bf16})
    if (target().has_type(known))
      names += (names.empty() ? "" : ", ") + std::string(name_of(known));
  return Error(errors::net_table_type)
      .in("table")
      .argument("floats", table.floats())
      .detail(fmt::format("the numbers of layers without bytes on the {} are one of: {}; leave "
                          "floats out for fp32",
                          chip().name, names))
      .see(target().document());
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
  if (table.has_floats()) TW_RETURN_IF_ERROR(floats_of(table).status());
  for (const LayerCalibrationParameter& entry : table.layer())
    if (entry.has_type()) TW_RETURN_IF_ERROR(check_type("layer " + entry.name(), entry.type()));
  return {};
}

Status check_options(const Network& network, const StreamOptions& options) {
  const auto refused = [&](const char* argument, std::string value, std::string why) {
    return Error(errors::net_number_type)
        .in("net " + network.name)
        .argument(argument, std::move(value))
        .detail(std::move(why))
        .see(target().document());
  };
  if (options.type == DType::i8 && options.table == nullptr)
    return Error(errors::net_table_entry)
        .in("net " + network.name)
        .argument("table", "missing")
        .detail(fmt::format("a net of bytes needs the thresholds of its tensors: run tputwin "
                            "calibrate --chip {} and give its table by --table",
                            table_chip(chip().family)))
        .see(target().document());
  if (!target().has_type(options.type))
    return refused(
        "type", name_of(options.type),
        fmt::format("nets of the {} are fp32 or int8: give --type fp32, or --type int8 with a "
                    "table",
                    chip().name));
  if (options.type == DType::i8 && target().packing() != nullptr &&
      !(options.float_inputs && options.float_outputs))
    return refused(options.float_inputs ? "output type" : "input type", "net",
                   fmt::format("inputs and outputs of int8 nets of the {} are fp32: leave --{} out",
                               chip().name, options.float_inputs ? "output-type" : "input-type"));
  return {};
}

}  // namespace tputwin::net::bm1684x
