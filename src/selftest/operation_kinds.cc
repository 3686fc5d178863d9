// Names, chips and alternatives of the kinds of operations.
#include "selftest/operation_kinds.h"

#include <algorithm>
#include <array>

#include "ops/operation.h"

namespace tputwin::testing {

namespace {

struct Row {
  std::string_view name;
  ChipFamily family;
  size_t alternative;
};

// Returns the index of an operation among the alternatives.
template <class Op, class... Ops>
constexpr size_t index_in(const std::variant<Ops...>*) {
  constexpr bool kIs[] = {std::is_same_v<Op, Ops>...};
  return static_cast<size_t>(std::ranges::find(kIs, true) - std::begin(kIs));
}

constexpr Row kRows[] = {
#define TW_KIND(name, Type, family) \
  {#name, ChipFamily::family, index_in<Type>(static_cast<AnyOperation*>(nullptr))},
#include "selftest/operation_kinds.def"
#undef TW_KIND
};

const Row& row(OperationKind kind) { return kRows[static_cast<size_t>(kind)]; }

}  // namespace

std::span<const OperationKind> all_operation_kinds() {
  static const auto kinds = [] {
    std::array<OperationKind, std::size(kRows)> all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<OperationKind>(i);
    return all;
  }();
  return kinds;
}

std::string_view to_string(OperationKind kind) { return row(kind).name; }
ChipFamily family_of(OperationKind kind) { return row(kind).family; }
size_t alternative_of(OperationKind kind) { return row(kind).alternative; }

// Returns the chip with smaller memories.
static Chip shrunk(Chip chip) {
  chip.lane_bytes = 64 * 1024;
  chip.l2.bytes = 64 * 1024;
  chip.l2_tables = 0;
  chip.dtcm.bytes = chip.dtcm.bytes == 0 ? 0 : 16 * 1024;
  return chip;
}

const Chip& chip_of(OperationKind kind) {
  static const Chip small_bm1684 = shrunk(bm1684()), small_bm1684x = shrunk(bm1684x());
  switch (family_of(kind)) {
    case ChipFamily::bm1684:
      return small_bm1684;
    case ChipFamily::bm1684x:
      return small_bm1684x;
    default:
      return bm1880();
  }
}

}  // namespace tputwin::testing
