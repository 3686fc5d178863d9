// Where in the user's program something was asked for: return addresses, and what debug
// information says of them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tputwin::insight {

// A line of the user's program. Without debug information there is no file, without symbols the
// function is the name of the module.
struct SourceLine {
  std::string function, file;
  int line = 0;
  auto operator<=>(const SourceLine&) const = default;
};

// "plus_one_serial (plus_one.c:21)"
std::string describe(const SourceLine& line);

// A function of ours, and who called it, innermost line first.
struct UserCode {
  std::string call;
  std::vector<SourceLine> lines;
  auto operator<=>(const UserCode&) const = default;
};

using StackId = uint32_t;  // 0: none

class Stacks {
 public:
  static Stacks& of_process();

  // The calling thread's stack. Equal stacks have one number.
  StackId capture();
  // The user's part of it. `call`: the function of ours that the user called; empty: whichever it
  // was.
  UserCode user_code(StackId stack, std::string_view call = {});

  // A stack of another process, as that one saw it. Equal ones have one number: a recording may be
  // played any number of times.
  StackId add(UserCode code);
  // Until it is none, that is what this thread captures.
  static void play(std::optional<StackId> stack);

 private:
  using Addresses = std::vector<uintptr_t>;
  struct Stack {  // one of them
    const Addresses* own = nullptr;
    const UserCode* foreign = nullptr;
  };
  template <class Key>
  StackId number_of(std::map<Key, StackId>& numbers, Key key, const Key* Stack::*member);

  std::mutex mutex_;
  std::map<Addresses, StackId> numbers_;
  std::map<UserCode, StackId> foreign_numbers_;
  std::vector<Stack> stacks_;  // by number - 1
};

}  // namespace tputwin::insight
