// The commands of bmodels in docs/support.md: the rows of the decoder's tables, and the types of
// operands that recorded commands have.
#include "docs/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/recorded_commands.h"
#include "docs/text.h"
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/operations.h"
#include "isa/streams/stream.h"

namespace tputwin::docs {
namespace {

using namespace isa::bm1684x_streams;

// Of an operation in recorded commands: types of the first operand, and of the result.
struct Types {
  std::set<DType> in, out;
};
using Key = std::pair<uint64_t, uint64_t>;  // class, code
struct Recorded {
  std::map<Key, Types> tiu, gdma;
};

void note(Recorded& recorded, Engine engine, std::span<const uint8_t> bytes) {
  const bool moves = engine == Engine::dma;
  const auto one = moves ? isa::decode_gdma_command(bytes, bm1684x())
                         : isa::decode_tiu_command(bytes, bm1684x());
  if (!one.ok()) return;
  const CommandHead head = moves ? gdma_head(bytes) : tiu_head(bytes);
  Types& types = (moves ? recorded.gdma : recorded.tiu)[{head.type, head.code}];
  const OperandList list = operands(one->instruction.op);
  types.out.insert(list[0].view->dtype);
  if (list.size() > 1) types.in.insert(list[1].view->dtype);
}

std::string names(const std::set<DType>& types) {
  std::vector<std::string_view> all;
  for (DType type : types) all.push_back(to_string(type));
  return fmt::format("{}", fmt::join(all, " "));
}

// "fp_add|int_add" as functions; in words otherwise.
std::string functions(std::string_view name, std::string_view prefix) {
  if (name.find(' ') != std::string_view::npos) return std::string(name);
  const size_t bar = name.find('|');
  if (bar == std::string_view::npos) return fmt::format("`{}{}`", prefix, name);
  return fmt::format("`{0}{1}`, `{0}{2}`", prefix, name.substr(0, bar), name.substr(bar + 1));
}

template <class Row>
std::string table(std::string_view title, std::string_view prefix, std::span<const Row> rows,
                  const std::map<Key, Types>& recorded) {
  std::string text = fmt::format(
      "\n## {}\n\n| class.operation | of the call, or in words | operands | results |\n"
      "|---|---|---|---|\n",
      title);
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

}  // namespace

std::string command_tables() {
  Recorded recorded;
  testing::for_each_recorded_command(
      source_dir() / "tests/conformance",
      [&](Engine engine, std::span<const uint8_t> bytes) { note(recorded, engine, bytes); });
  return table("Commands of bmodels: BM1684X, tensor engine", "tpu_bdc_", tiu_rows(),
               recorded.tiu) +
         table("Commands of bmodels: BM1684X, GDMA", "tpu_gdma_", gdma_rows(), recorded.gdma);
}

}  // namespace tputwin::docs
