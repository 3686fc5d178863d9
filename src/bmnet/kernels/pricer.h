// Prices of layer groups on the BM1880, by the simulator's own costs.
#pragma once

#include "bmnet/groups/partition.h"
#include "bmnet/kernels/program.h"

namespace tputwin::net {

class Bm1880Pricer final : public Pricer {
 public:
  Bm1880Pricer();
  Result<PricedGroup> price(GroupSchedule schedule, uint64_t limit) override;

 private:
  Program program_;
};

}  // namespace tputwin::net
