// The two containers, each read and written on its own. Readers check everything their format
// demands; what holds of any model is left to validate().
#pragma once

#include "bmodel/bmodel.h"

namespace tputwin::bmodel {

// Whether the framing of container 0.1.1 is there: JSON text between a length and the magic.
bool has_v011_frame(std::span<const uint8_t> file);

Result<Model> read_v011(std::span<const uint8_t> file);
Result<std::vector<uint8_t>> write_v011(const Model& model);

// Whether one of the two leading magics of container 2.1 is there.
bool has_v21_frame(std::span<const uint8_t> file);

Result<Model> read_v21(std::span<const uint8_t> file);
constexpr size_t kMessageLimit = 0x7fff'ffff;  // of protobuf
// Weights lie inside the message unless the model says otherwise or the message would become larger
// than the limit.
Result<std::vector<uint8_t>> write_v21(const Model& model, size_t limit = kMessageLimit);

}  // namespace tputwin::bmodel
