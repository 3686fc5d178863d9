// A runtime context with one network on a new simulated chip, as a user's program creates it.
#pragma once

#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmnet.h>

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "machine/device.h"
#include "tools/runtime.h"

namespace tputwin::tools {

// Destroys context and network in order.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  Status open(std::span<const uint8_t> file);
  Status select(const ShapeList& shapes);
  // Takes all inputs and fills all outputs.
  Status infer(std::span<const uint8_t> input, std::span<uint8_t> output);
  // Removes `before` from the chip's observers and adds `after`, between two runs. Either may be
  // null.
  void watch(Observer* before, Observer* after);
  // Returns the simulated chip of the context; nullptr if there is none.
  Device* device();

 private:
  bmctx_t context_ = nullptr;
  bmnet_t net_ = nullptr;
};

// Directory that is searched first for CPU operators, in addition to those in a model.
void prepend_plugin_path(const std::string& directory);

}  // namespace tputwin::tools
