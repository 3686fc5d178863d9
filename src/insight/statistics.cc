// Counts zeros and saturated elements.
#include "insight/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/log.h"
#include "base/variables.h"
#include "insight/layer_scope.h"
#include "insight/number_values.h"
#include "ops/contract/kernel_steps.h"

namespace tputwin::insight {
namespace {

struct Limits {
  int64_t low, high;
};

// Returns the limits of an integer type. Zero does not count as a limit.
Limits limits_of(DType dtype) {
  switch (dtype) {
    case DType::i8:
      return {INT8_MIN, INT8_MAX};
    case DType::u8:
      return {INT64_MIN, UINT8_MAX};
    case DType::i16:
      return {INT16_MIN, INT16_MAX};
    case DType::u16:
      return {INT64_MIN, UINT16_MAX};
    case DType::i32:
      return {INT32_MIN, INT32_MAX};
    default:
      return {INT64_MIN, UINT32_MAX};
  }
}

void count(ResultStatistics& row, int32_t value, DType dtype) {
  ++row.elements;
  const auto bits = static_cast<uint32_t>(value);
  if (is_float(dtype)) {
    row.zero += (bits & (dtype == DType::f32 ? 0x7fffffff : 0x7fff)) == 0;
    row.nan += is_nan_bits(bits, dtype);
    row.saturated += is_infinity_bits(bits, dtype);
    return;
  }
  const int64_t number = integer_value(value, dtype);
  const Limits limits = limits_of(dtype);
  row.zero += number == 0;
  row.saturated += number == limits.low || number == limits.high;
}

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Counts the results of the commands of one device.
class Counter : public Observer {
 public:
  Counter(Device& device, Statistics& statistics) : device_(device), statistics_(statistics) {}

  void on_issue(const CallSite& site) override {
    call_ = site.call;
    stack_ = Stacks::of_process().capture();
  }
  void on_instruction(const Instruction& instruction, const Footprint&, const Cost&) override {
    if (const auto made = origin_.find({instruction.engine, instruction.id}); made != origin_.end())
      std::tie(call_, stack_) = std::pair(made->second.call, made->second.stack);
    ++number_;
    if (instruction.engine == Engine::compute)
      statistics_.add({.launch = launch_,
                       .number = number_,
                       .stack = stack_,
                       .call = call_,
                       .layer = layer(instruction)},
                      instruction.op, memory_to_read(device_));
    call_ = {};
    stack_ = 0;
  }
  void on_event(const DeviceEvent& event) override {
    if (event.kind == DeviceEvent::Kind::commands) {
      origin_ = Origins::of_process().find(event.commands);
      layers_ = Layers::of_process().find(event.commands);
      layer_of_ = layers_.by_command();
    }
    if (event.kind != DeviceEvent::Kind::launch_begin) return;
    launch_ = event.name;
    number_ = 0;
    origin_.clear();
    layer_of_.clear();
  }

 private:
  // Returns the layer of the current command.
  std::string_view layer(const Instruction& instruction) const {
    return number_ <= layer_of_.size() ? layer_of_[number_ - 1] : LayerScope::name_of(instruction);
  }

  Device& device_;
  Statistics& statistics_;
  Origin origin_;
  bmodel::LayerRuns layers_;                // of the current launch
  std::vector<std::string_view> layer_of_;  // one per command, in order
  std::string launch_;
  std::string_view call_;
  StackId stack_ = 0;
  uint32_t number_ = 0;
};

std::string wanted_file() { return std::string(value_of(EnvVariable::check_numbers)); }

Statistics& statistics_of_process() {
  static auto& instance = *new Statistics;
  return instance;
}

void write_at_exit() {
  const std::string path = wanted_file();
  const auto rows = statistics_of_process().rows();
  const std::string text = path.ends_with(".json") ? to_json(rows).dump(2) + "\n" : to_table(rows);
  if (Status s = write_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
      !s.ok())
    log(s.error(), Level::error);
}

}  // namespace

void Statistics::add(const CountedCommand& command, const Operation& op, const Memory& memory) {
  const OperandList list = operands(op);
  for (size_t i = 0; i < list.size(); ++i) {
    const TensorView& view = *list[i].view;
    if (list[i].access == Access::read || view.dtype == DType::b32) continue;
    if (list[i].name.starts_with("work")) continue;
    std::lock_guard lock(mutex_);
    const auto [found, is_new] = rows_.try_emplace({command.launch, command.number, i});
    ResultStatistics& row = found->second;
    if (is_new) {
      const UserCode code = Stacks::of_process().user_code(command.stack, command.call);
      row = {.launch = command.launch,
             .command = command.number,
             .call = code.call,
             .operation = std::string(name(op)),
             .line = code.lines.empty() ? "" : describe(code.lines.front()),
             .tensor = std::string(list[i].name),
             .type = to_string(view.dtype),
             .layer = std::string(command.layer)};
    }
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      count(row, memory.read(view, n, c, h, w), view.dtype);
    });
  }
}

std::vector<ResultStatistics> Statistics::rows() const {
  std::lock_guard lock(mutex_);
  std::vector<ResultStatistics> rows;
  for (const auto& [key, row] : rows_) rows.push_back(row);
  return rows;
}

std::vector<ResultStatistics> by_layer(const std::vector<ResultStatistics>& rows) {
  std::vector<ResultStatistics> layers;
  for (const ResultStatistics& row : rows) {
    if (row.layer.empty()) continue;
    auto layer = std::ranges::find_if(layers, [&](const ResultStatistics& known) {
      return known.launch == row.launch && known.layer == row.layer;
    });
    if (layer == layers.end())
      layer = layers.insert(layer, {.launch = row.launch, .layer = row.layer});
    layer->elements += row.elements;
    layer->saturated += row.saturated;
    layer->zero += row.zero;
    layer->nan += row.nan;
  }
  return layers;
}

std::string to_table(const std::vector<ResultStatistics>& rows) {
  std::string text = fmt::format("{:<20} {:>7} {:<28} {:<10} {:<5} {:>10} {:>9} {:>8} {:>8}  {}\n",
                                 "launch", "command", "call", "tensor", "type", "elements",
                                 "saturated", "zero", "nan", "line");
  for (const ResultStatistics& row : rows)
    text += fmt::format(
        "{:<20} {:>7} {:<28} {:<10} {:<5} {:>10} {:>7.2f} % {:>6.2f} % {:>6.2f} %  {}\n",
        row.launch, row.command, row.call.empty() ? row.operation : row.call, row.tensor, row.type,
        row.elements, percent(row.saturated, row.elements), percent(row.zero, row.elements),
        percent(row.nan, row.elements), row.line);
  const std::vector<ResultStatistics> layers = by_layer(rows);
  if (layers.empty()) return text;
  text += fmt::format("\n{:<20} {:<40} {:>10} {:>9} {:>8} {:>8}\n", "launch", "layer", "elements",
                      "saturated", "zero", "nan");
  for (const ResultStatistics& row : layers)
    text += fmt::format("{:<20} {:<40} {:>10} {:>7.2f} % {:>6.2f} % {:>6.2f} %\n", row.launch,
                        row.layer, row.elements, percent(row.saturated, row.elements),
                        percent(row.zero, row.elements), percent(row.nan, row.elements));
  return text;
}

nlohmann::json to_json(const std::vector<ResultStatistics>& rows) {
  nlohmann::json commands = nlohmann::json::array(), layers = nlohmann::json::array();
  for (const ResultStatistics& row : by_layer(rows))
    layers.push_back({{"launch", row.launch},
                      {"layer", row.layer},
                      {"elements", row.elements},
                      {"saturated", row.saturated},
                      {"zero", row.zero},
                      {"nan", row.nan}});
  for (const ResultStatistics& row : rows)
    commands.push_back({{"launch", row.launch},
                        {"command", row.command},
                        {"call", row.call},
                        {"operation", row.operation},
                        {"line", row.line},
                        {"layer", row.layer},
                        {"tensor", row.tensor},
                        {"type", row.type},
                        {"elements", row.elements},
                        {"saturated", row.saturated},
                        {"zero", row.zero},
                        {"nan", row.nan}});
  return {{"version", 1}, {"commands", commands}, {"layers", layers}};
}

bool is_counting() { return !wanted_file().empty(); }

std::unique_ptr<Observer> count_device(Device& device) {
  static const int once = std::atexit(write_at_exit);
  static_cast<void>(once);
  return std::make_unique<Counter>(device, statistics_of_process());
}

}  // namespace tputwin::insight
