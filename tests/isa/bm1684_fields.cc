// The field tables of the BM1684's commands match the description, bit by bit.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/bm1684/command.h"

namespace tputwin::isa::bm1684_streams {
namespace {

template <class Command>
void expect_described(const CommandForm<Command>& form, const nlohmann::json& described) {
  ASSERT_EQ(described.size(), 1u);
  EXPECT_EQ(form.bytes, described[0]["bytes"].get<uint32_t>());
  const nlohmann::json& fields = described[0]["fields"];
  ASSERT_EQ(form.fields.size(), fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(form.fields[i].name, fields[i][0].get<std::string>());
    EXPECT_EQ(form.fields[i].first, fields[i][1].get<uint32_t>()) << form.fields[i].name;
    EXPECT_EQ(form.fields[i].width, fields[i][2].get<uint32_t>()) << form.fields[i].name;
  }
}

TEST(Bm1684Fields, AreThoseDescribed) {
  std::ifstream file(TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684-fields.json");
  const nlohmann::json described = nlohmann::json::parse(file);
  expect_described(tiu_form(), described["tiu"]);
  expect_described(gdma_form(), described["gdma"]);
}

// Sets each field alone: it must read back, and the other fields must stay 0. The lane mask spans
// nine bytes.
template <class Command>
void expect_round_trips(const CommandForm<Command>& form) {
  for (const CommandField<Command>& field : form.fields) {
    const uint64_t ones = field.width == 64 ? UINT64_MAX : (uint64_t{1} << field.width) - 1;
    for (const uint64_t value : {ones, ones & 0x5a5a'a5a5'3c3c'9696}) {
      Command command;
      command.*field.member = value;
      std::vector<uint8_t> bytes(form.bytes);
      pack(form, command, bytes);
      EXPECT_EQ(unpack(form, std::span<const uint8_t>(bytes)), command) << field.name;
      EXPECT_FALSE(reserved_bit(form, std::span<const uint8_t>(bytes)));
    }
  }
}

TEST(Bm1684Fields, RoundTrip) {
  expect_round_trips(tiu_form());
  expect_round_trips(gdma_form());
}

}  // namespace
}  // namespace tputwin::isa::bm1684_streams
