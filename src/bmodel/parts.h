// Splitting and combining models.
#pragma once

#include "bmodel/bmodel.h"

namespace tputwin::bmodel {

// Returns the model as JSON text with the keys of container 2.1. Blobs are shown by their size in
// bytes.
std::string to_json(const Model& model);

// A part of a model, and its file name: NET_weight_0.bin, NET_cmdbuf_0.bin, NET_OPERATOR_x86_64.so,
// NET.json. Names keep only letters, digits, '-', '_' and '.', so that a model cannot choose where
// it is written.
struct Part {
  std::string filename;
  std::vector<uint8_t> bytes;
};
std::vector<Part> split(const Model& model);
Status write_parts(const Model& model, const std::string& directory);

// Returns one model with the varieties of all, each with its weights. Equal weights are stored
// once. The models must be the same net (name, chip, operator libraries), compiled for different
// input shapes.
Result<Model> combine(std::span<const Model> models);

}  // namespace tputwin::bmodel
