// A slot: a device, and work for it whose results are known.
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
  // One piece of work; whether it left what it left the first time.
  virtual Result<bool> work() = 0;
  // Takes the device down and makes another.
  virtual Status renew() = 0;
};

// So many, of the three chips in turn: a model of the BM1880, a recording of random operations of
// the BM1684, the models of the BM1684X. Each has done its work thrice.
Result<std::vector<std::unique_ptr<Slot>>> make_slots(size_t count,
                                                      const std::vector<std::string>& models);

}  // namespace tputwin::soak
