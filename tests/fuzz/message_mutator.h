// Changes to protobuf messages that leave them messages, whatever their type: values, names, and
// what is repeated.
#pragma once

#include <google/protobuf/message.h>

#include "fuzz/targets.h"
#include "selftest/rng.h"

namespace tputwin::fuzz {

// One change somewhere in the message or below it.
void change_message(google::protobuf::Message& message, testing::Rng& rng);

Bytes mutate_prototxt(std::span<const uint8_t> input, uint64_t seed);
Bytes mutate_caffemodel(std::span<const uint8_t> input, uint64_t seed);
// In the form that the table has, text or binary.
Bytes mutate_table(std::span<const uint8_t> input, uint64_t seed);
// Of container 2.1, in any of its framings.
Bytes mutate_bmodel_v21(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
