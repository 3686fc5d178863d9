// Splitting and combining models of BM1684 and BM1684X.
#pragma once

#include <functional>
#include <string>

#include "bmodel/bm168x/model.h"

namespace tputwin::bmodel::bm168x {

// Calls visit(binary) for every binary that a model names, in the order of the file.
void for_each_binary(ModelT& model, const std::function<void(Binary&)>& visit);

// A model with its own binary part.
struct OwnFile {
  ModelT model;
  std::vector<uint8_t> binary;
};

// Returns one stage of a net as a model of its own, with its binaries.
OwnFile stage_alone(const File& file, size_t net, size_t stage);
// Returns one model with the nets of all. Nets with one name become stages of one net. They must
// have equal numbers of inputs and outputs, and one address mode. All models must be for one chip.
Result<OwnFile> combine(std::span<const File* const> files);

}  // namespace tputwin::bmodel::bm168x
