// A slot: a device, and work for it with known results.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::soak {

class Slot {
 public:
  virtual ~Slot() = default;
  virtual std::string name() const = 0;
  // Does one piece of work; returns true if its results equal those of the first time.
  virtual Result<bool> work() = 0;
  // Destroys the device and makes another.
  virtual Status renew() = 0;
};

// Makes `count` slots of the three chips, round-robin: a model of the BM1880, a recording of random
// operations of the BM1684, the models of the BM1684X. Each has done its work three times.
Result<std::vector<std::unique_ptr<Slot>>> make_slots(size_t count,
                                                      const std::vector<std::string>& models);

}  // namespace tputwin::soak
