// Numbers of JSON from outside: numbers that fit are read, others are errors of JSON.
#include "base/checked_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "tools/vision/description.h"

namespace tputwin::test {
namespace {

template <class T>
bool is_read(const char* text, T expected) {
  return CheckedJson::parse(text).get<T>() == expected;
}
template <class T>
bool is_refused(const char* text) {
  try {
    static_cast<void>(CheckedJson::parse(text).get<T>());
  } catch (const nlohmann::json::exception&) {
    return true;
  }
  return false;
}

TEST(CheckedJson, WholeNumbers) {
  EXPECT_TRUE(is_read<uint8_t>("255", 255));
  EXPECT_TRUE(is_read<int8_t>("-128", -128));
  EXPECT_TRUE(is_read<int64_t>("-9223372036854775808", INT64_MIN));
  EXPECT_TRUE(is_read<uint64_t>("18446744073709551615", UINT64_MAX));
  EXPECT_TRUE(is_read<int>("3.0", 3));
  EXPECT_TRUE(is_read<int>("-2e9", -2000000000));
  EXPECT_TRUE(is_refused<uint8_t>("256"));
  EXPECT_TRUE(is_refused<uint32_t>("-1"));
  EXPECT_TRUE(is_refused<int>("4294967296"));
  EXPECT_TRUE(is_refused<int64_t>("9223372036854775808"));
  EXPECT_TRUE(is_refused<int>("1.5"));
  EXPECT_TRUE(is_refused<int>("1e308"));
  EXPECT_TRUE(is_refused<uint64_t>("-1e308"));
  EXPECT_TRUE(is_refused<int>("\"3\""));
}

TEST(CheckedJson, Fractions) {
  EXPECT_TRUE(is_read<float>("0.1", 0.1f));
  EXPECT_TRUE(is_read<float>("16777217", 16777216.0f));
  EXPECT_TRUE(is_read<double>("1e308", 1e308));
  EXPECT_TRUE(is_refused<float>("1e39"));
  EXPECT_TRUE(is_refused<float>("-1e308"));
}

TEST(CheckedJson, Inside) {
  const CheckedJson json = CheckedJson::parse(R"({"list": [1, 300], "at": 1e308, "on": true})");
  EXPECT_EQ(json["list"].get<std::vector<uint16_t>>(), (std::vector<uint16_t>{1, 300}));
  EXPECT_THROW(static_cast<void>(json["list"].get<std::vector<uint8_t>>()),
               nlohmann::json::exception);
  EXPECT_THROW(static_cast<void>(json.value("at", uint64_t{0})), nlohmann::json::exception);
  EXPECT_THROW(([&] {
                 const uint32_t at = json.at("at");
                 return at;
               }()),
               nlohmann::json::exception);
  EXPECT_EQ(json.value("none", 7), 7);
  EXPECT_TRUE(json.value("on", false));
}

TEST(CheckedJson, OfADescription) {
  tools::Description description;
  for (const char* text : {R"({"crop": 1e308})", R"({"mean": [1e300]})", R"({"scale": 1e39})",
                           R"({"resize": [9223372036854775807, 1]})", R"({"resize": [1]})",
                           R"({"detections": {"background": 99999999999}})"})
    EXPECT_EQ(tools::parse_description(text, description).error().code(),
              tools::parse_description("[]", description).error().code())
        << text;
}

}  // namespace
}  // namespace tputwin::test
