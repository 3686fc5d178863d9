// A device of the BM1684X that executes commands one at a time, for tests of single rules.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "common/bm1684x_streams.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "machine/command_group.h"

namespace tputwin::isa {

using bm1684x_streams::GdmaCommand;
using bm1684x_streams::GdmaForm;
using bm1684x_streams::TiuCommand;
using bm1684x_streams::TiuForm;

// A device that runs one command at a time.
class Rules : public ::testing::Test {
 protected:
  template <class T>
  void put(uint64_t address, const std::vector<T>& values) {
    std::memcpy(device_->memories().take_local().lane(0) + address, values.data(),
                values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> get(uint64_t address, size_t count, uint32_t lane = 0) {
    std::vector<T> values(count);
    std::memcpy(values.data(), device_->memories().take_local().lane(lane) + address,
                count * sizeof(T));
    return values;
  }

  void run(TiuCommand command, TiuForm form) {
    command.cmd_short = form != TiuForm::long_form;
    command.cmd_id = 1;
    std::vector<uint8_t> bytes;
    testing::append(bytes, form, command);
    run(decode_tiu_command(bytes, bm1684x()));
  }
  void run(GdmaCommand command, GdmaForm form = GdmaForm::tensor) {
    command.cmd_id = 1;
    std::vector<uint8_t> bytes;
    testing::append(bytes, form, command);
    run(decode_gdma_command(bytes, bm1684x()));
  }
  // Runs the command after encoding and decoding it. Keeps its forms that no recording confirms.
  void run(const Result<OneCommand>& one) {
    ASSERT_TRUE(one.ok()) << one.error().message();
    unconfirmed_ = one->unconfirmed;
    const auto bytes = encode_command(one->instruction, bm1684x());
    ASSERT_TRUE(bytes.ok()) << bytes.error().message();
    const auto again = one->instruction.engine == Engine::dma
                           ? decode_gdma_command(*bytes, bm1684x())
                           : decode_tiu_command(*bytes, bm1684x());
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(describe(again->instruction.op), describe(one->instruction.op));
    const Status status = run_command_group(*device_, {&again->instruction, 1});
    EXPECT_TRUE(status.ok()) << status.message();
  }

  std::vector<UnconfirmedForm> unconfirmed_;  // of the last command
  std::unique_ptr<Device> device_ = std::move(
      Device::create({.chip = &bm1684x(), .global_bytes = 1 << 20, .poison = false}).value());
};

}  // namespace tputwin::isa
