// A synthetic timeline: load, compute, store.
#include "profile/synthetic.h"

namespace tputwin::insight::testing {
namespace {

Held bytes(uint64_t begin, Access access) {
  return {.operand = "x", .access = access, .lanes = 1, .begin = begin, .end = begin + 16};
}

TimelineCommand command(Engine engine, std::string_view operation, std::string layer,
                        uint32_t number) {
  TimelineCommand made;
  made.engine = engine;
  made.operation = operation;
  made.call = "call";
  made.layer = std::move(layer);
  made.number = number;
  made.start = 10 * number - 5;
  made.end = made.start + 10;
  made.delay = number == 1 ? Delay::launch : Delay::command;
  made.blocker = number == 1 ? kNoCommand : number - 2;
  return made;
}

}  // namespace

Timeline three_commands() {
  Timeline timeline = timeline_of(bm1880());
  TimelineCommand load = command(Engine::dma, "load", "a", 1);
  load.held = {bytes(0, Access::write)};
  load.cost.global_bytes = 160;
  load.work.kind = Work::Kind::load;
  load.price.units = 10;
  TimelineCommand compute = command(Engine::compute, "</script>", "a", 2);
  compute.held = {bytes(0, Access::read), bytes(16, Access::write)};
  compute.cost.macs = 50;
  compute.price.conflicts = 10;
  TimelineCommand store = command(Engine::dma, "store", "b", 3);
  store.held = {bytes(16, Access::read)};
  store.work.kind = Work::Kind::store;
  store.price.units = 10;
  timeline.commands = {load, compute, store};
  timeline.launches = {{.name = "net", .number = 1, .first = 0, .count = 3, .begin = 0, .end = 35}};
  return timeline;
}

}  // namespace tputwin::insight::testing
