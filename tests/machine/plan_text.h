// Graphs and plans as text, an instruction a line, for comparison with literals.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "machine/optimizer/plan_builder.h"
#include "machine/optimizer/program_graph.h"

namespace tputwin::test {

// Returns for example "[0, before]".
inline std::string list(const std::vector<uint32_t>& numbers) {
  std::vector<std::string> texts;
  for (const uint32_t n : numbers)
    texts.push_back(n == ProgramGraph::kBefore ? "before" : std::to_string(n));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

inline std::string line(uint32_t i, const Operation& op, const std::vector<std::string>& facts) {
  const char* colon = facts.empty() ? "" : ": ";
  return fmt::format("{} {}{}{}\n", i, name(op), colon, fmt::join(facts, ", "));
}

// Example: "2 conv2d: reads [0], constants [1], overwritten".
inline std::string text_of(const ProgramGraph& graph) {
  std::string text;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const ProgramGraph::Node& node = graph.node(i);
    std::vector<std::string> facts;
    if (!node.writers.empty()) facts.push_back("reads " + list(node.writers));
    if (!node.constant_writers.empty()) facts.push_back("constants " + list(node.constant_writers));
    if (node.is_overwritten) facts.push_back("overwritten");
    uint64_t live = 0, later = 0;
    for (const ByteRange& r : node.live_out) live += r.end - r.begin;
    for (const ByteRange& r : node.read_later) later += r.end - r.begin;
    if (live != 0) facts.push_back(fmt::format("{} bytes live-out", live));
    if (later != live) facts.push_back(fmt::format("{} bytes read later", later));
    text += line(i, graph.op(i), facts);
  }
  return text;
}

// Example: "2 conv2d: kernel, constants 0 = loads [1]".
inline std::string text_of(const PlanBuilder& plan) {
  std::string text;
  for (uint32_t i = 0; i < plan.graph().size(); ++i) {
    const PlanStep& step = plan.step(i);
    const auto index = [](uint32_t number) { return std::to_string(number); };
    std::vector<std::string> facts;
    if (i != 0 && step.begins_section) facts.push_back("begins a section");
    if (step.kernel != nullptr) facts.push_back("kernel");
    if (step.constants != PlanStep::kNone)
      facts.push_back("constants " + index(step.constants) + " = loads " +
                      list(plan.parts().constants[step.constants].loads));
    if (step.is_fused()) facts.push_back("fused into " + index(step.fused_into));
    if (step.epilogue_constants != PlanStep::kNone)
      facts.push_back("kept by constants " + index(step.epilogue_constants));
    if (step.is_elided)
      facts.push_back((step.is_deferred ? "deferred, needed by " : "elided, needed by ") +
                      list(step.needed_by));
    if (!step.restorable_loads.empty())
      facts.push_back("may restore " + list(step.restorable_loads));
    if (step.shares_input) facts.push_back("shares input");
    text += line(i, plan.graph().op(i), facts);
  }
  return text;
}

// Example: "0x1000 + 512".
inline std::string text_of(const std::vector<GlobalRange>& ranges) {
  std::vector<std::string> texts;
  for (const GlobalRange& range : ranges)
    texts.push_back(fmt::format("{:#x} + {}", range.begin, range.bytes));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace tputwin::test
