// The chip of a model's commands.
#pragma once

#include "base/errors/bmruntime.h"
#include "bmodel/bmodel.h"
#include "chip/chip.h"

namespace tputwin::tools {

// Returns the chip that a model is for; an error if this build does not know it.
inline Result<const Chip*> chip_of(const bmodel::Model& model) {
  const std::string number = std::to_string(model.chip);
  if (const Chip* chip = find_chip(number)) return chip;
  return Error(errors::bmr_net_chip).argument("chip", number).detail("it is unknown here");
}

}  // namespace tputwin::tools
