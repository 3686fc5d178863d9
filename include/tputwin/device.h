// Observation of a simulated chip, instruction by instruction. C++11; link with libbmruntime.
//
//   struct Print : tputwin::api::Observer {
//     void on_instruction(const tputwin::api::Event& e) override {
//       std::cout << e.text << ": " << e.cycles << " cycles\n";
//     }
//   } print;
//   tputwin::api::Device device(ctx);  // the chip of a bmctx_t
//   device.add_observer(&print);
#ifndef TPUTWIN_DEVICE_H
#define TPUTWIN_DEVICE_H

#include <libbmruntime/bmruntime.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tputwin {
namespace api {

enum class Engine { compute, cpu, dma };

// Bytes [begin, end) of global memory, or of one lane of local memory.
struct Range {
  bool local;
  bool written;   // false: read
  uint32_t lane;  // 0 for global memory
  uint64_t begin, end;
};

// One executed instruction.
struct Event {
  std::string name;  // "conv2d"
  std::string text;  // the line that `tputwin disasm` prints
  Engine engine;
  uint32_t id;  // number on its engine
  // Number on the other engine that it waited for; 0: none.
  uint32_t wait;
  uint64_t cycles;      // predicted, see docs/timing.md
  uint64_t operations;  // multiply-accumulates or element operations
  uint64_t bytes_read;  // sizes of the ranges below
  uint64_t bytes_written;
  std::vector<Range> ranges;
};

class Observer {
 public:
  virtual ~Observer() {}
  // Called after the instruction ran, on the thread that launched it. It must not call the runtime.
  virtual void on_instruction(const Event& event) = 0;
};

// Order in which engines are served. Every order is legal for a program whose waits are right.
enum class Schedule { program, compute_first, dma_first, shuffled };

// The chip that a context is bound to. Copies refer to the same chip. Calls on a context that is
// not bound do nothing and return false; tputwin_last_error() returns the reason.
class Device {
 public:
  explicit Device(bmctx_t ctx) : ctx_(ctx) {}
  // The observer is not owned. It must exist until it is removed or the device is closed.
  bool add_observer(Observer* observer);
  bool remove_observer(Observer* observer);
  bool set_schedule(Schedule schedule, uint64_t seed = 1);
  // Makes warnings errors. The default is the environment variable TPUTWIN_STRICT.
  bool set_strict(bool strict);

 private:
  bmctx_t ctx_;
};

}  // namespace api
}  // namespace tputwin

#endif
