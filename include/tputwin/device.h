// What a simulated chip does, instruction by instruction. C++11; link with libbmruntime.
//
//   struct Print : tputwin::api::Observer {
//     void on_instruction(const tputwin::api::Event& e) override {
//       std::cout << e.text << ": " << e.cycles << " cycles\n";
//     }
//   } print;
//   tputwin::api::Device device(ctx);  // the chip behind a bmctx_t
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
  bool written;   // else read
  uint32_t lane;  // 0 for global memory
  uint64_t begin, end;
};

// One executed instruction.
struct Event {
  std::string name;  // "conv2d"
  std::string text;  // the line that `tputwin disasm` prints
  Engine engine;
  uint32_t id;          // number on its engine
  uint32_t wait;        // number on the other engine it waited for; 0: none
  uint64_t cycles;      // predicted, see docs/timing.md
  uint64_t operations;  // multiply-accumulates or element operations
  uint64_t bytes_read;  // sizes of the ranges below
  uint64_t bytes_written;
  std::vector<Range> ranges;
};

class Observer {
 public:
  virtual ~Observer() {}
  // After the instruction ran, on the thread that launched it. It must not call the runtime.
  virtual void on_instruction(const Event& event) = 0;
};

// In which order engines are served; every one is legal for a program whose waits are right.
enum class Schedule { program, compute_first, dma_first, shuffled };

// The chip a context is bound to. A value: copies mean the same chip. Calls on a context that is
// not bound do nothing and return false; the reason is in tputwin_last_error().
class Device {
 public:
  explicit Device(bmctx_t ctx) : ctx_(ctx) {}
  // Not owned; must stay until removed, or until the device is closed.
  bool add_observer(Observer* observer);
  bool remove_observer(Observer* observer);
  bool set_schedule(Schedule schedule, uint64_t seed = 1);
  // Whether a warning is an error. Default: the environment variable TPUTWIN_STRICT.
  bool set_strict(bool strict);

 private:
  bmctx_t ctx_;
};

}  // namespace api
}  // namespace tputwin

#endif
