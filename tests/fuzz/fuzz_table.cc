#include "bmnet/integers/table.h"
#include "fuzz/targets.h"

namespace tputwin::fuzz {
namespace {

Result<NetCalibrationParameter> read(const std::string& text) {
  return net::read_table({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace

std::string fuzz_table(std::span<const uint8_t> input) {
  auto table = net::read_table(input);
  if (!table.ok()) return "";
  table->DiscardUnknownFields();  // text has no form for unknown fields
  const std::string binary = net::table_binary(*table), text = net::table_text(*table);
  auto from_binary = read(binary), from_text = read(text);
  if (!from_binary.ok()) return "the binary form cannot be read: " + from_binary.error().message();
  if (!from_text.ok()) return "the text form cannot be read: " + from_text.error().message();
  if (net::table_binary(*from_binary) != binary) return "the binary form reads back different";
  if (net::table_text(*from_text) != text) return "the text form reads back different";
  return "";
}

}  // namespace tputwin::fuzz
