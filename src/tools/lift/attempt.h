// An attempt: the call with the arguments of an operation's roles is made, and its operation is
// compared with the wanted one.
#pragma once

#include <concepts>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "isa/streams/format.h"
#include "tools/lift/call_recorder.h"
#include "tools/lift/fill.h"
#include "tools/lift/roles.h"

namespace tputwin::lift {

struct Call {
  std::string_view function;
  std::vector<Argument> arguments;
};

// The search for the call that makes an operation. If there is none, `refused` is the rule by which
// the function named after the command refuses it.
struct Search {
  Recorder& recorder;
  const Operation& wanted;
  std::string named;  // name of that function
  std::optional<Call> found;
  std::optional<Error> refused;
};

// Conversion of roles to C arguments, for all APIs: pass() returns false for a value that the
// argument cannot hold. Each API adds its own types in a structure of this form.
struct CommonApi {
  static bool pass(const Address& from, unsigned& to) {
    to = static_cast<unsigned>(from.at);
    return from.place != Place::system && from.at <= UINT32_MAX;
  }
  static bool pass(const Address& from, unsigned long long& to) {
    to = from.at;
    return from.place == Place::system;
  }
  static bool pass(const EitherAddress& from, unsigned long long& to) {
    to = from.at;
    return from.place != Place::tables;
  }
  template <std::integral T>
  static bool pass(const Number& from, T& to) {
    to = static_cast<T>(from.value);
    return std::same_as<T, char> ||
           std::in_range<std::conditional_t<std::same_as<T, char>, int, T>>(from.value);
  }
  template <std::integral T>
  static bool pass(const Flag& from, T& to) {
    to = from.value;
    return true;
  }
  static bool pass(const Constant& from, float& to) {
    to = f32::from_bits(from.bits);
    return from.dtype == DType::f32;
  }
  template <std::integral T>
  static bool pass(const Constant& from, T& to) {
    to = static_cast<T>(from.bits);
    return !is_float(from.dtype);
  }
  template <class Dim4>
  requires requires(Dim4 d) { d.n, d.c, d.h, d.w; }
  static bool pass(const Extents& from, std::optional<Dim4>& to) { return set(from.of, to); }
  template <class Dim4>
  requires requires(Dim4 d) { d.n, d.c, d.h, d.w; }
  static bool pass(const Steps& from, std::optional<Dim4>& to) {
    return !from.of || set(*from.of, to);
  }
  template <class Dim2>
  requires requires(Dim2 d) { d.h, d.w; }
  static bool pass(const Pair& from, std::optional<Dim2>& to) {
    to = Dim2{static_cast<int>(from.h), static_cast<int>(from.w)};
    return true;
  }
  template <class Pads>
  requires requires(Pads p) { p.top, p.bottom, p.left, p.right; }
  static bool pass(const Padding& from, std::optional<Pads>& to) {
    to = Pads{static_cast<int>(from.top), static_cast<int>(from.bottom),
              static_cast<int>(from.left), static_cast<int>(from.right)};
    return true;
  }

 private:
  template <class Dim4>
  static bool set(const std::array<uint32_t, 4>& from, std::optional<Dim4>& to) {
    to = Dim4{static_cast<int>(from[0]), static_cast<int>(from[1]), static_cast<int>(from[2]),
              static_cast<int>(from[3])};
    return true;
  }
};

// Storage for an argument of type P during the call.
template <class P>
struct Kept {
  using Type = P;
  static P get(P& kept) { return kept; }
};
template <class T>
struct Kept<const T*> {
  using Type = std::optional<T>;
  static const T* get(std::optional<T>& kept) { return kept ? &*kept : nullptr; }
};

// Returns the argument of type P for the text of a role.
template <class P, class Role>
Argument argument(const Role& role) {
  if constexpr (!std::same_as<Role, Constant>)
    return role;
  else if constexpr (std::same_as<P, float>)
    return Real{role.bits};
  else if constexpr (std::integral<P>)
    return Number{static_cast<int32_t>(role.bits)};
  else
    return Scalar{role};
}
template <class P>
Argument argument(const EitherAddress& role) {
  return static_cast<const Address&>(role);
}

template <class Api, class... P, class... Role>
void attempt(Search& search, std::string_view name, void (*function)(P...), const Role&... roles) {
  static_assert(sizeof...(P) == sizeof...(Role), "a row has a role for each argument");
  std::tuple<typename Kept<P>::Type...> kept;
  const auto given = std::tie(roles...);
  const bool fits = [&]<size_t... I>(std::index_sequence<I...>) {
    return (Api::pass(std::get<I>(given), std::get<I>(kept)) && ...);
  }
  (std::index_sequence_for<P...>());
  if (!fits) return;
  const auto made = search.recorder.record(
      [&] { std::apply([&](auto&... value) { function(Kept<P>::get(value)...); }, kept); });
  if (made && search.recorder.same(*made, search.wanted))
    search.found = Call{name, {argument<P>(roles)...}};
  else if (!made && name == search.named && !search.refused)
    search.refused = search.recorder.broken();
}

// Result of the search: the call of the chip's API that makes the operation. Without one its
// command must be executed raw; `refused` is then the rule that forbids the call, if a rule does.
struct Lifted {
  std::optional<Call> call;
  std::optional<Error> refused;
};

// A row of an API's table. Rows inherits from Roles and has a function for each row, so that rows
// use the names of roles directly.
template <class Rows>
struct Row {
  std::string_view function;
  bool (*is_of)(const Operation&);
  void (Rows::*attempt)(Search&) const;
};

// Returns the functions in a table, each once.
template <class Rows>
std::vector<std::string_view> functions_of(std::span<const Row<Rows>> table) {
  std::set<std::string_view> names;
  for (const Row<Rows>& row : table) names.insert(row.function);
  return {names.begin(), names.end()};
}

// Returns the first call among the rows that makes the operation. Strides that have a default are
// NULL in the first pass; in the second all are given.
template <class Rows>
Lifted find_call(const Instruction& instruction, Recorder& recorder,
                 std::span<const Row<Rows>> table) {
  const Operation& op = instruction.op;
  const Chip& chip = recorder.chip();
  Search search{recorder, op, isa::format_of(chip).function_name(instruction, chip), {}, {}};
  for (const StrideStyle style : {StrideStyle::natural, StrideStyle::spelled}) {
    Rows roles;
    Filler filler(chip, style, roles);
    if (!fill_any(op, filler)) return {};
    for (const Row<Rows>& row : table) {
      if (row.is_of(op)) (roles.*row.attempt)(search);
      if (search.found) return {std::move(search.found), std::nullopt};
    }
  }
  return {std::nullopt, std::move(search.refused)};
}

}  // namespace tputwin::lift
