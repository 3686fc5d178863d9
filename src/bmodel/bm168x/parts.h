// Taking models of BM1684 and BM1684X apart and putting them together.
#pragma once

#include <functional>
#include <string>

#include "bmodel/bm168x/model.h"

namespace tputwin::bmodel::bm168x {

// Every binary that a model names, in the order of the file.
void for_each_binary(ModelT& model, const std::function<void(Binary&)>& visit);

// A model with its own binary part.
struct OwnFile {
  ModelT model;
  std::vector<uint8_t> binary;
};

// One stage of a net as a model of its own, with the binaries it uses.
OwnFile stage_alone(const File& file, size_t net, size_t stage);
// One model with the nets of all. Nets of one name become stages of one net: they have as many
// inputs and outputs, and one address mode. All are for one chip.
Result<OwnFile> combine(std::span<const File* const> files);

}  // namespace tputwin::bmodel::bm168x
