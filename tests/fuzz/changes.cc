// Changes of numbers, bytes and JSON that are likely to find errors.
#include "fuzz/changes.h"

#include <nlohmann/json.hpp>

namespace tputwin::fuzz {

using testing::Rng;

uint64_t edge_number(Rng& rng, uint64_t old, uint32_t width) {
  const uint64_t most = width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
  switch (rng.below(8)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return most;
    case 3:
      return (old + 1) & most;
    case 4:
      return (old - 1) & most;
    case 5:
      return old ^ (uint64_t{1} << rng.below(width));
    case 6:
      return (uint64_t{1} << rng.below(width)) & most;
    default:
      return rng.next() & most;
  }
}

void change_bytes(std::span<uint8_t> bytes, Rng& rng) {
  for (uint64_t changes = 1 + rng.below(3); changes > 0 && !bytes.empty(); --changes)
    bytes[rng.below(bytes.size())] = rng.below(2) == 0
                                         ? static_cast<uint8_t>(rng.next())
                                         : rng.pick<uint8_t>({0, 1, 2, 4, 8, 16, 0x7f, 0x80, 0xff});
}

namespace {

using Json = nlohmann::ordered_json;

Json edge_value(Rng& rng) {
  return rng.pick<Json>({0,
                         1,
                         -1,
                         0.5,
                         1e308,
                         -1e-308,
                         INT32_MAX,
                         INT32_MIN,
                         UINT32_MAX,
                         INT64_MAX,
                         INT64_MIN,
                         UINT64_MAX,
                         true,
                         nullptr,
                         "",
                         "yolo",
                         "priors",
                         "conv",
                         Json::array(),
                         Json::object(),
                         Json::array({1, 2, 3, 4})});
}

// bmodels 0.1.1 store numbers as text.
bool is_number(const std::string& text) {
  constexpr size_t kMostDigits = 18;
  return !text.empty() && text.size() <= kMostDigits &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

void change_value(Json& json, Rng& rng) {
  if (json.is_structured() && !json.empty() && rng.below(8) != 0) {
    auto at = json.begin();
    std::advance(at, static_cast<ptrdiff_t>(rng.below(json.size())));
    if (rng.below(16) == 0) {
      json.erase(at);
    } else {
      change_value(*at, rng);
    }
    return;
  }
  if (json.is_string() && is_number(json.get<std::string>()) && rng.below(8) != 0) {
    json = std::to_string(edge_number(rng, std::stoull(json.get<std::string>()), 64));
    return;
  }
  if (json.is_number_integer() && rng.below(2) == 0) {
    const auto step = rng.pick<uint64_t>({UINT64_MAX, 1, 7, UINT64_MAX - 63});  // wraps
    json = static_cast<int64_t>(json.get<uint64_t>() + step);
    return;
  }
  json = edge_value(rng);
}

}  // namespace

std::string changed_json(std::string_view text, Rng& rng) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_discarded()) {
    change_value(json, rng);
    return json.dump(-1, ' ', true, Json::error_handler_t::replace);
  }
  std::string changed(text);
  change_bytes({reinterpret_cast<uint8_t*>(changed.data()), changed.size()}, rng);
  return changed;
}

}  // namespace tputwin::fuzz
