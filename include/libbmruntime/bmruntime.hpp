// BMRuntime for C++: networks with blobs as inputs and outputs. (SDK 1.1; C++11)
//
// All Net objects of a process share one context. Float blobs that are inputs of an int8 network
// are quantized with the input thresholds, and the outputs are floats. Otherwise outputs keep the
// format of the network.
#ifndef LIBBMRUNTIME_BMRUNTIME_HPP
#define LIBBMRUNTIME_BMRUNTIME_HPP

#include <libbmruntime/bmruntime_bmnet.h>

#include <memory>
#include <string>
#include <vector>

namespace bmruntime {

// A tensor in system memory. The class does not own the memory.
class Blob {
 public:
  Blob();
  Blob(void* data, shape_t& shape, uint32_t fmt = FMT_F32);
  void* data() const { return data_; }
  const shape_t& shape() const { return shape_; }
  uint32_t fmt() const { return fmt_; }
  size_t count() const;  // elements
  size_t size() const;   // bytes
  void dump() const;     // prints shape, format and elements to stdout

 private:
  void* data_;
  shape_t shape_;
  uint32_t fmt_;
};

class Net {
 public:
  // Throws std::runtime_error with the reason if the file cannot be registered.
  explicit Net(const std::string& bmodel);
  virtual ~Net();
  Net(const Net&) = delete;
  Net& operator=(const Net&) = delete;

  // Selects the variety by the shapes of the inputs and runs it. Returns 0, or a negative number on
  // error. Several threads may call it at a time; they run one after the other.
  int forward(std::vector<Blob>& inputs);
  // Returns an output of the calling thread's last forward. If this thread has not called forward,
  // it is an output of the last forward of any thread. Returns nullptr if there is none of that
  // name. The blob is valid until the thread whose forward made it calls forward again.
  Blob* output(const std::string& name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bmruntime

#endif
