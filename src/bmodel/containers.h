// The two containers, each with a reader and a writer of its own. Readers check all rules of their
// format; validate() checks the rules of any model.
#pragma once

#include "bmodel/bmodel.h"

namespace tputwin::bmodel {

// Returns true if the file has the framing of container 0.1.1: JSON text between a length and the
// magic.
bool has_v011_frame(std::span<const uint8_t> file);

Result<Model> read_v011(std::span<const uint8_t> file);
Result<std::vector<uint8_t>> write_v011(const Model& model);

// Returns true if the file begins with one of the two magics of container 2.1.
bool has_v21_frame(std::span<const uint8_t> file);

Result<Model> read_v21(std::span<const uint8_t> file);
constexpr size_t kMessageLimit = 0x7fff'ffff;  // limit of protobuf
// Stores weights inside the message, unless the model requests otherwise or the message would
// exceed the limit.
Result<std::vector<uint8_t>> write_v21(const Model& model, size_t limit = kMessageLimit);

}  // namespace tputwin::bmodel
