// Changes to protobuf messages of any type that keep them valid: values, names, and repeated
// elements.
#pragma once

#include <google/protobuf/message.h>

#include "fuzz/targets.h"
#include "selftest/rng.h"

namespace tputwin::fuzz {

// Makes one change in the message or a message inside it.
void change_message(google::protobuf::Message& message, testing::Rng& rng);

Bytes mutate_prototxt(std::span<const uint8_t> input, uint64_t seed);
Bytes mutate_caffemodel(std::span<const uint8_t> input, uint64_t seed);
// Keeps the format of the table, text or binary.
Bytes mutate_table(std::span<const uint8_t> input, uint64_t seed);
// Changes a model of container 2.1, in any of its framings.
Bytes mutate_bmodel_v21(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
