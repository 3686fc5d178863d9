// Repeats a run under a StepRecorder.
#include "tools/recorded_steps.h"

#include <tuple>

#include "base/parallel.h"
#include "insight/scaling/scaling.h"

namespace tputwin::tools {

Result<std::vector<StepTime>> recorded_steps(const RecordedThreads& threads,
                                             const StepRecorder::LayerOf& layer_of,
                                             const std::function<Status()>& run) {
  constexpr int kWarm = 3, kRuns = 5;
  set_thread_count(static_cast<int>(threads.recorded));
  std::vector<std::vector<StepTime>> runs;
  Status status;
  {
    StepRecorder recorder(layer_of);
    for (int i = 0; i < kWarm + kRuns && status.ok(); ++i) {
      recorder.take();
      status = run();
      std::vector<StepTime> steps = recorder.take();
      if (i >= kWarm) runs.push_back(std::move(steps));
    }
  }
  set_thread_count(static_cast<int>(threads.later));
  TW_RETURN_IF_ERROR(std::move(status));
  return insight::least_times(runs);
}

LayerFinder::LayerFinder(std::span<const Instruction> program, const bmodel::LayerRuns& layers)
    : names_(layers.by_command()) {
  for (const Instruction& instruction : program)
    numbers_.push_back({instruction.engine, instruction.id});
  names_.resize(numbers_.size());
}

std::string_view LayerFinder::operator()(const Instruction& instruction) {
  const Number wanted{instruction.engine, instruction.id};
  const size_t count = numbers_.size();
  // The program begins again after its end.
  for (size_t distance = 0; distance <= count / 2; ++distance)
    for (const size_t at : {(last_ + distance) % count, (last_ + count - distance) % count}) {
      if (numbers_[at] != wanted) continue;
      last_ = at;
      return names_[at];
    }
  return {};
}

Json account_json(std::span<const StepTime> steps, unsigned threads) {
  constexpr double kMillisecond = 1e6;
  Json json{{"threads", threads}, {"predicted_ms", Json::object()}, {"steps", Json::array()}};
  for (const unsigned count : insight::thread_counts(threads))
    json["predicted_ms"][std::to_string(count)] =
        insight::scaling(steps, count).threaded.total() / kMillisecond;
  const insight::Scaling predicted = insight::scaling(steps, threads);
  for (const auto& [name, member, list] :
       {std::tuple("operation", "steps", &predicted.kinds), {"layer", "layers", &predicted.layers}})
    for (const insight::KindScaling& kind : *list)
      json[member].push_back({{name, kind.name},
                              {"count", kind.steps},
                              {"one_thread_ms", kind.one_thread / kMillisecond},
                              {"ms", kind.threaded.total() / kMillisecond},
                              {"serial_ms", kind.threaded.serial / kMillisecond},
                              {"uneven_ms", kind.threaded.uneven / kMillisecond},
                              {"opening_ms", kind.threaded.opening / kMillisecond}});
  return json;
}

}  // namespace tputwin::tools
