// A runtime of bmrt with the nets of one file on a device of its chip, as a user's program creates
// it.
#pragma once

#include <memory>
#include <vector>

#include "bmodel/open.h"
#include "sdk/bmrt/runtime.h"

namespace tputwin::tools {

class Session168x {
 public:
  // Opens device 0, or takes the given one. `host_libraries` is as in
  // bmrt::Runtime::use_host_libraries().
  static Result<std::unique_ptr<Session168x>> open(const bmodel::OpenFile& file);
  static Result<std::unique_ptr<Session168x>> open(const bmodel::OpenFile& file,
                                                   std::shared_ptr<bmlib::Card> card,
                                                   const std::string& host_libraries = {});
  ~Session168x();
  Session168x(const Session168x&) = delete;
  Session168x& operator=(const Session168x&) = delete;

  bmrt::Runtime& runtime() { return *runtime_; }
  // Runs a stage on host memory: all inputs, all outputs, raw, 1N. Outputs have their compiled
  // size; `shapes`, if given, receives those of the run. Buffers of an earlier run are used again.
  using Buffers = std::vector<std::vector<uint8_t>>;
  Status infer(const std::string& net, size_t stage, const Buffers& inputs, Buffers& outputs,
               std::vector<bm_shape_t>* shapes = nullptr);
  Result<Buffers> infer(const std::string& net, size_t stage, const Buffers& inputs,
                        std::vector<bm_shape_t>* shapes = nullptr);
  // Returns the commands of all groups of a stage.
  Result<std::vector<Instruction>> program(const std::string& net, size_t stage);
  // Returns the time of each subnet, one after the other, on the inputs of the last run.
  Result<std::vector<double>> subnet_seconds(const std::string& net, size_t stage);
  // Returns the bytes of a stage's neuron memory.
  Result<std::vector<uint8_t>> neurons(const std::string& net, size_t stage);
  // Sets the observer of later instructions; nullptr: none.
  void watch(Observer* observer);

 private:
  Session168x() = default;
  Status load(const bmodel::OpenFile& file, const std::string& host_libraries);
  Observer* observer_ = nullptr;
  bm_handle_t handle_ = nullptr;
  std::shared_ptr<bmrt::Runtime> runtime_;
};

}  // namespace tputwin::tools
