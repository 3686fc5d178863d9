// The field tables of the BM1684X's commands match the description, bit by bit.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/bm1684x/command.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

template <class Command>
void expect_described(std::span<const CommandForm<Command>> forms,
                      const nlohmann::json& described) {
  ASSERT_EQ(forms.size(), described.size());
  for (size_t i = 0; i < forms.size(); ++i) {
    const CommandForm<Command>& form = forms[i];
    EXPECT_EQ(form.name, described[i]["form"].get<std::string>());
    EXPECT_EQ(form.bytes, described[i]["bytes"].get<uint32_t>()) << form.name;
    const nlohmann::json& fields = described[i]["fields"];
    ASSERT_EQ(form.fields.size(), fields.size()) << form.name;
    for (size_t j = 0; j < fields.size(); ++j) {
      EXPECT_EQ(form.fields[j].name, fields[j][0].get<std::string>()) << form.name;
      EXPECT_EQ(form.fields[j].first, fields[j][1].get<uint32_t>()) << form.fields[j].name;
      EXPECT_EQ(form.fields[j].width, fields[j][2].get<uint32_t>()) << form.fields[j].name;
    }
  }
}

TEST(Bm1684xFields, AreThoseDescribed) {
  std::ifstream file(TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x-fields.json");
  const nlohmann::json described = nlohmann::json::parse(file);
  expect_described(tiu_forms(), described["tiu"]);
  expect_described(gdma_forms(), described["gdma"]);
}

// Sets each field alone, to all ones and to a pattern: it must read back, and the others must stay
// 0.
template <class Command>
void expect_round_trips(std::span<const CommandForm<Command>> forms) {
  for (const CommandForm<Command>& form : forms)
    for (const CommandField<Command>& field : form.fields) {
      const uint64_t ones = field.width == 64 ? UINT64_MAX : (uint64_t{1} << field.width) - 1;
      for (const uint64_t value : {ones, ones & 0x5a5a'a5a5'3c3c'9696}) {
        Command command;
        command.*field.member = value;
        std::vector<uint8_t> bytes(form.bytes);
        pack(form, command, bytes);
        EXPECT_EQ(unpack(form, std::span<const uint8_t>(bytes)), command)
            << form.name << " " << field.name;
        EXPECT_FALSE(reserved_bit(form, std::span<const uint8_t>(bytes)));
      }
    }
}

TEST(Bm1684xFields, RoundTrip) {
  expect_round_trips(tiu_forms());
  expect_round_trips(gdma_forms());
}

TEST(Bm1684xFields, BitsWithoutAFieldAreReserved) {
  const auto& ar = form(TiuForm::ar);
  std::vector<uint8_t> bytes(ar.bytes);
  bytes[11] = 0x80;
  EXPECT_EQ(reserved_bit(ar, std::span<const uint8_t>(bytes)), 95u);
}

}  // namespace
}  // namespace tputwin::isa::bm1684x_streams
