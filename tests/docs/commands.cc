// The commands of bmodels in docs/support.md: the rows of the decoders' tables, and the types of
// operands that recorded commands have.
#include "docs/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/recorded_commands.h"
#include "docs/text.h"
#include "isa/bm1684/decode.h"
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/operations.h"
#include "isa/streams/format.h"

namespace tputwin::docs {
namespace {

namespace x = isa::bm1684x_streams;
namespace bm1684_commands = isa::bm1684_streams;

// The recorded commands of an operation: types of the first operand and of the result, and the
// functions that emit them.
struct Types {
  std::set<DType> in, out;
  std::set<std::string> functions;
};
using Key = std::pair<uint64_t, uint64_t>;  // class, code
struct Recorded {
  std::map<Key, Types> tiu, gdma;
};

using KeyOf = Key (*)(Engine engine, std::span<const uint8_t> bytes);

Key bm1684x_key(Engine engine, std::span<const uint8_t> bytes) {
  const auto head = engine == Engine::dma ? x::gdma_head(bytes) : x::tiu_head(bytes);
  return {head.type, head.code};
}
// For the GDMA the key is the special function and the direction.
Key bm1684_key(Engine engine, std::span<const uint8_t> bytes) {
  if (engine == Engine::dma) {
    const auto command = isa::unpack(bm1684_commands::gdma_form(), bytes);
    return {command.special_func, command.direction};
  }
  const auto command = isa::unpack(bm1684_commands::tiu_form(), bytes);
  return {command.tsk_typ, command.tsk_eu_typ};
}

void note(Recorded& recorded, const Chip& chip, KeyOf key, Engine engine,
          std::span<const uint8_t> bytes) {
  const bool moves = engine == Engine::dma;
  const auto one =
      moves ? isa::decode_gdma_command(bytes, chip) : isa::decode_tiu_command(bytes, chip);
  if (!one.ok() || one->is_idle) return;
  Types& types = (moves ? recorded.gdma : recorded.tiu)[key(engine, bytes)];
  const OperandList list = operands(one->instruction.op);
  types.out.insert(list[0].view->dtype);
  if (list.size() > 1) types.in.insert(list[1].view->dtype);
  types.functions.insert(isa::format_of(chip).function_name(one->instruction, chip));
}

std::string names(const std::set<DType>& types) {
  std::vector<std::string_view> all;
  for (DType type : types) all.push_back(to_string(type));
  return fmt::format("{}", fmt::join(all, " "));
}

// Formats "fp_add|int_add" as functions; names with blanks stay as text.
std::string functions(std::string_view name, std::string_view prefix) {
  const size_t bar = name.find('|');
  if (bar != std::string_view::npos)
    return functions(name.substr(0, bar), prefix) + ", " + functions(name.substr(bar + 1), prefix);
  if (name.find(' ') != std::string_view::npos) return std::string(name);
  return fmt::format("`{}{}`", prefix, name);
}

std::string heading(std::string_view title) {
  return fmt::format(
      "\n## {}\n\n| class.operation | of the call, or in words | operands | results |\n"
      "|---|---|---|---|\n",
      title);
}

template <class Row>
std::string table(std::string_view title, std::string_view prefix, std::span<const Row> rows,
                  const std::map<Key, Types>& recorded) {
  std::string text = heading(title);
  for (const Row& row : rows) {
    const auto types = recorded.find({row.type, row.code});
    const bool seen = types != recorded.end();
    text +=
        fmt::format("| {}.{} | {} | {} | {} |\n", row.type, row.code, functions(row.name, prefix),
                    row.decode == nullptr ? "refused"
                    : seen                ? names(types->second.in)
                                          : "",
                    seen ? names(types->second.out) : "");
  }
  return text;
}

// The BM1684's decoder has no table of transfers: lists special functions and directions of
// recorded commands.
std::string transfers(std::string_view title, const std::map<Key, Types>& recorded) {
  std::string text = heading(title);
  for (const auto& [key, types] : recorded) {
    std::vector<std::string> functions;
    for (std::string name : types.functions) {
      const bool is_function = name.starts_with("okk_");
      if (!is_function) std::ranges::replace(name, '_', ' ');
      functions.push_back(is_function ? "`" + name + "`" : name);
    }
    text += fmt::format("| {}.{} | {} | {} | {} |\n", key.first, key.second,
                        fmt::join(functions, ", "), names(types.in), names(types.out));
  }
  return text;
}

}  // namespace

std::string command_tables() {
  const auto folder = source_dir() / "tests/conformance";
  Recorded recorded, bm1684_recorded;
  testing::for_each_recorded_command(folder, [&](Engine engine, std::span<const uint8_t> bytes) {
    note(recorded, bm1684x(), bm1684x_key, engine, bytes);
  });
  testing::for_each_bm1684_command(folder, [&](Engine engine, std::span<const uint8_t> bytes) {
    note(bm1684_recorded, bm1684(), bm1684_key, engine, bytes);
  });
  return table("Commands of bmodels: BM1684X, tensor engine", "tpu_bdc_", x::tiu_rows(),
               recorded.tiu) +
         table("Commands of bmodels: BM1684X, GDMA", "tpu_gdma_", x::gdma_rows(), recorded.gdma) +
         table("Commands of bmodels: BM1684, tensor engine", "okk_bdc_",
               bm1684_commands::tiu_rows(), bm1684_recorded.tiu) +
         transfers("Commands of bmodels: BM1684, GDMA", bm1684_recorded.gdma);
}

}  // namespace tputwin::docs
