// Taking models apart and putting them together.
#pragma once

#include "bmodel/bmodel.h"

namespace tputwin::bmodel {

// The model as JSON text; blobs are shown by their size in bytes. Keys as in container 2.1.
std::string to_json(const Model& model);

// A piece of a model and the file name to give it: NET_weight_0.bin, NET_cmdbuf_0.bin,
// NET_OPERATOR_x86_64.so, NET.json. Names keep only letters, digits, '-', '_' and '.', so that a
// model cannot choose where it is written.
struct Part {
  std::string filename;
  std::vector<uint8_t> bytes;
};
std::vector<Part> split(const Model& model);
Status write_parts(const Model& model, const std::string& directory);

// One model with the varieties of all, each with its weights; equal weights are there once. They
// must be the same net (name, chip, operator libraries) compiled for different input shapes.
Result<Model> combine(std::span<const Model> models);

}  // namespace tputwin::bmodel
