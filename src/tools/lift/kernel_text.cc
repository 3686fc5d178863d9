// Text of the kernel of a lifted stage: memory, tensors, a function for each part, the kernel.
#include "tools/lift/kernel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include "isa/streams/format.h"
#include "tools/lift/call_text.h"
#include "tools/lift/program_parts.h"

namespace tputwin::lift {
namespace {

// Returns true if C text contains `word` as a whole identifier.
bool has_word(std::string_view code, std::string_view word) {
  auto joins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !joins(code[at - 1])) && (end == code.size() || !joins(code[end]))) return true;
  }
  return false;
}

// ---- Raw commands ----

// Returns one argument per 32-bit word, so that a line may end after any of them.
std::vector<std::string> words_of(std::span<const uint8_t> bytes) {
  std::vector<std::string> words;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    words.push_back(fmt::format("{:#x}", word));
  }
  words.front().insert(0, "TPUTWIN_WORDS(");
  words.back() += ")";
  return words;
}

// Returns the compiled and the actual addresses of operands in global memory.
std::string moved_text(const Step& step, const GlobalNames& globals, const Chip& chip) {
  std::set<uint64_t> addresses;
  for (const Operand& operand : operands(step.instruction.op))
    if (operand.view->space == Space::global)
      addresses.insert(chip.global_base + operand.view->address);
  if (addresses.empty()) return "TPUTWIN_NOWHERE";
  std::vector<std::string> pairs;
  for (const uint64_t at : addresses)
    pairs.push_back(fmt::format("{{{:#x}, {}}}", at, globals.text(at)));
  return fmt::format("TPUTWIN_MOVED({})", fmt::join(pairs, ", "));
}

// Returns the line of the disassembly, without numbers and waits.
std::string meaning_of(const Step& step, const Chip& chip) {
  const std::string operands = describe(step.instruction.op);
  return isa::format_of(chip).function_name(step.instruction, chip) +
         operands.substr(std::min(operands.find(' '), operands.size()));
}

// Returns the reason why no call makes the command.
std::string reason_of(const Step& step) {
  const auto& refused = step.lifted.refused;
  if (!refused) return "No call does this: ";
  return fmt::format("{} does not take this, {} = {} ({}): ", refused->call(), refused->argument(),
                     refused->value(), refused->info().rule);
}

std::string raw_text(const Step& step, const GlobalNames& globals, const Chip& chip,
                     size_t indent) {
  const bool moves = step.instruction.engine == Engine::dma;
  std::vector<std::string> arguments = words_of(step.bytes);
  if (moves) arguments.push_back(moved_text(step, globals, chip));
  return comment_text(reason_of(step) + meaning_of(step, chip), indent) +
         call_text(moves ? "tputwin_gdma_command" : "tputwin_bdc_command", arguments, indent);
}

// ---- Parts ----

struct Context {
  const Stage& stage;
  const Naming& naming;
  const Chip& chip;
  const Dialect& dialect;
  const GlobalNames& globals;
  Tally& tally;
};

std::string step_text(const Step& step, const Context& in, const LocalNames& locals,
                      size_t indent) {
  ++in.tally.commands;
  if (!step.lifted.call) {
    ++in.tally.raw;
    return raw_text(step, in.globals, in.chip, indent);
  }
  std::vector<std::string> arguments;
  for (const Argument& argument : step.lifted.call->arguments)
    arguments.push_back(text(argument, in.dialect, in.globals, locals));
  return call_text(step.lifted.call->function, arguments, indent);
}

std::string section_text(const Section& section, const Context& in, const LocalNames& locals) {
  ++in.tally.sections;
  const bool parallel = section.is_parallel();
  const size_t indent = parallel ? 4 : 2;
  const std::string_view prefix = in.dialect.prefix;
  std::string text = parallel ? fmt::format("  {}_parallel_start();\n  {{\n", prefix) : "";
  for (const Step* step : section.steps) text += step_text(*step, in, locals, indent);
  return text + (parallel ? fmt::format("  }}\n  {}_parallel_end();\n", prefix) : "");
}

std::string locals_text(const LocalNames& locals, std::string_view body) {
  std::string text;
  for (const LocalNames::Name& name : locals.all())
    if (has_word(body, name.name))
      text += fmt::format("  const local_addr_t {} = {:#x}; /* {} */\n", name.name, name.byte,
                          name.comment);
  return text;
}

std::string list(const std::vector<std::string>& names) {
  return names.empty() ? "nothing of the net" : fmt::format("{}", fmt::join(names, ", "));
}

std::string part_text(const Part& part, size_t number, const Context& in) {
  ++in.tally.parts;
  const LocalNames locals(part.steps(), in.globals, in.chip);
  std::string body;
  for (const Section& section : part.sections) body += section_text(section, in, locals);
  const std::string group = part.group->title.empty() ? "" : " Of " + part.group->title + ".";
  return comment_text(fmt::format("From {} to {}.{}", list(part.reads), list(part.writes), group),
                      0) +
         fmt::format("static void part_{}(void) {{\n", number) + locals_text(locals, body) + body +
         "}\n\n";
}

// ---- The program ----

std::string tensors_text(const GlobalNames& globals, std::string_view parts) {
  std::string text = "/* Tensors in global memory. */\n";
  for (const GlobalName& name : globals.all())
    if (name.region != nullptr && has_word(parts, name.name))
      text += fmt::format("#define {} (net->{} + {:#x}) /* {} */\n", name.name, name.region->field,
                          name.begin - name.region->compiled, name.comment);
  return text + "\n";
}

std::string heading(const Context& in, bool has_raw) {
  return comment_text(fmt::format("Net {} stage {} of {}, lifted by tputwin: each call is one "
                                  "command of the compiled network.",
                                  in.stage.net->name, in.stage.index, in.naming.model),
                      0) +
         fmt::format("#include <stdbool.h>\n#include <stddef.h>\n#include <{}>\n",
                     in.dialect.header) +
         (has_raw ? "#include <tputwin/raw_command.h>\n" : "") + "\n";
}

std::string entry_text(const Context& in, size_t parts) {
  const Dialect& api = in.dialect;
  std::string text = fmt::format(
      "void {0}(const void* args) {{\n  net = (const {0}_args_t*)args;\n  {1}_initialize();\n",
      in.naming.kernel, api.prefix);
  for (size_t i = 0; i < parts; ++i) text += fmt::format("  part_{}();\n", i);
  return text +
         fmt::format("  {}_poll();\n}}\n{}({})\n", api.prefix, api.registration, in.naming.kernel);
}

}  // namespace

std::string arguments_text(const Stage& stage, const Naming& naming) {
  std::string text = "/* The addresses of the memories of the net. */\ntypedef struct {\n";
  for (const Region& region : stage.regions)
    text += fmt::format("  unsigned long long {}; /* {} bytes: {} */\n", region.field, region.bytes,
                        region.content);
  return text + fmt::format("}} {}_args_t;\n", naming.kernel);
}

std::string kernel_text(const Stage& stage, const Naming& naming, const Chip& chip, Tally& tally) {
  const GlobalNames globals(stage, chip);
  const Context in{stage, naming, chip, dialect_of(chip), globals, tally};
  const std::vector<Part> parts = parts_of(stage, globals, chip);
  std::string body;
  for (size_t i = 0; i < parts.size(); ++i) body += part_text(parts[i], i, in);
  const std::string macros = macros_for(body, in.dialect);
  return heading(in, tally.raw != 0) + arguments_text(stage, naming) +
         fmt::format("static const {}_args_t* net;\n\n", naming.kernel) +
         tensors_text(globals, body) + macros + (macros.empty() ? "" : "\n") + body +
         entry_text(in, parts.size());
}

}  // namespace tputwin::lift
