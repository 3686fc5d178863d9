// Calibration tables as files, binary and text.
#include "bmnet/integers/table.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "chip/family.h"

namespace tputwin::net {
namespace {

namespace pb = google::protobuf;

// Returns true if the table is binary. Every layer of a binary table begins with the bytes A2 06; a
// text has no 06.
bool is_binary(std::span<const uint8_t> file) {
  return std::ranges::any_of(
      file, [](uint8_t c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f'; });
}

class FirstProblem final : public pb::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
  }
  void AddWarning(int, int, const std::string&) override {}
  std::string text;
};

Error malformed(std::string detail) {
  return Error(errors::net_table).in("calibration table").detail(std::move(detail));
}

}  // namespace

Result<NetCalibrationParameter> read_table(std::span<const uint8_t> file) {
  if (file.empty()) return malformed("the file is empty");
  if (file.size() > std::numeric_limits<int>::max()) return malformed("the file is too large");
  NetCalibrationParameter table;
  pb::io::ArrayInputStream stream(file.data(), static_cast<int>(file.size()));
  if (is_binary(file)) {
    pb::io::CodedInputStream coded(&stream);
    if (!table.ParsePartialFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
      return malformed("not a whole binary message");
  } else {
    FirstProblem problem;
    pb::TextFormat::Parser parser;
    parser.RecordErrorsTo(&problem);
    parser.AllowPartialMessage(true);
    if (!parser.Parse(&stream, &table)) return malformed(problem.text);
  }
  if (!table.IsInitialized()) return malformed("missing: " + table.InitializationErrorString());
  if (table.layer_size() == 0) return malformed("it has no layer");
  return table;
}

Result<NetCalibrationParameter> read_table_file(const std::string& path) {
  TW_ASSIGN_OR_RETURN(file, read_bytes(path));
  auto table = read_table(file);
  if (!table.ok()) return malformed(table.error().detail()).argument("file", path);
  return table;
}

std::string table_chip(ChipFamily family) {
  std::string name(first_of(family).name);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

Status check_chip(const NetCalibrationParameter& table, ChipFamily family,
                  const std::string& where) {
  const std::string wanted = table_chip(family);
  const auto refused = [&](std::string_view what, std::string value, std::string_view why) {
    return Error(errors::net_table_chip)
        .in(where)
        .argument(what, std::move(value))
        .detail(
            fmt::format("the net is compiled for the {0}{1}; calibrate again with --chip {0}, "
                        "or compile for the chip of the table{2}",
                        wanted, why,
                        family == ChipFamily::bm1880
                            ? ""
                            : "; nets without bytes and without types of layers need no table"));
  };
  if (table.has_chip() && table.chip() != wanted) return refused("chip", table.chip(), "");
  if (family != ChipFamily::bm1880) return {};
  constexpr std::string_view kNoTypes = ", which has no types of layers";
  if (table.has_floats()) return refused("floats", table.floats(), kNoTypes);
  for (const LayerCalibrationParameter& layer : table.layer())
    if (layer.has_type()) return refused("type of layer " + layer.name(), layer.type(), kNoTypes);
  return {};
}

std::string table_binary(const NetCalibrationParameter& table) {
  return table.SerializePartialAsString();
}

std::string table_text(const NetCalibrationParameter& table) {
  std::string text;
  pb::TextFormat::PrintToString(table, &text);
  return text;
}

Status write_table(const NetCalibrationParameter& table, const std::string& path,
                   TableFormat format) {
  const std::string bytes = format == TableFormat::binary ? table_binary(table) : table_text(table);
  return write_bytes(path, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

}  // namespace tputwin::net
