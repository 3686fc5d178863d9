// A runtime context with one network on a fresh simulated chip: what a program of a user would
// make.
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

// Takes context and network down again, in order.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  Status open(std::span<const uint8_t> file);
  Status select(const ShapeList& shapes);
  // All inputs, all outputs.
  Status infer(std::span<const uint8_t> input, std::span<uint8_t> output);
  // Takes `before` off the chip's observers and adds `after`, between two runs. Either may be null.
  void watch(Observer* before, Observer* after);
  // The simulated chip behind the context; nullptr if there is none.
  Device* device();

 private:
  bmctx_t context_ = nullptr;
  bmnet_t net_ = nullptr;
};

// CPU operators are looked for here first, besides those a model carries.
void prepend_plugin_path(const std::string& directory);

}  // namespace tputwin::tools
