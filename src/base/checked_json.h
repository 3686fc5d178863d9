// CheckedJson: JSON from outside. A number that does not fit its target type, or has a fraction for
// an integer type, is an error of JSON (nlohmann::json::exception). nlohmann's own conversions
// would change the number instead.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tputwin {

template <class T, class = void>
struct CheckedNumbers : nlohmann::adl_serializer<T> {};

using CheckedJson = nlohmann::basic_json<std::map, std::vector, std::string, bool, int64_t,
                                         uint64_t, double, std::allocator, CheckedNumbers>;

template <class T>
struct CheckedNumbers<T, std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, bool>>> {
  static void to_json(CheckedJson& json, T value) { nlohmann::to_json(json, value); }

  static void from_json(const CheckedJson& json, T& value) {
    if (!fits(json))
      throw CheckedJson::out_of_range::create(406, "number does not fit: " + json.dump(), nullptr);
    nlohmann::from_json(json, value);
  }

 private:
  static bool fits(const CheckedJson& json) {
    if constexpr (std::is_integral_v<T>) {
      if (json.is_number_unsigned()) return std::in_range<T>(json.get_ref<const uint64_t&>());
      if (json.is_number_integer()) return std::in_range<T>(json.get_ref<const int64_t&>());
      return !json.is_number_float() || is_whole_number(json.get_ref<const double&>());
    } else {
      if (!json.is_number_float()) return true;
      const double number = json.get_ref<const double&>();
      return number >= std::numeric_limits<T>::lowest() && number <= std::numeric_limits<T>::max();
    }
  }
  // Returns true if T has the number and a double represents it uniquely.
  static bool is_whole_number(double number) {
    constexpr double kMost = 9007199254740992.0;
    return number >= -kMost && number <= kMost &&
           number == static_cast<double>(static_cast<int64_t>(number)) &&
           std::in_range<T>(static_cast<int64_t>(number));
  }
};

}  // namespace tputwin
