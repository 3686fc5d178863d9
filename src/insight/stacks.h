// Positions in the user's program: return addresses, and their lines by debug information.
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

// A line of the user's program. Without debug information `file` is empty. Without symbols
// `function` is the name of the module.
struct SourceLine {
  std::string function, file;
  int line = 0;
  auto operator<=>(const SourceLine&) const = default;
};

// Returns for example "plus_one_serial (plus_one.c:21)".
std::string describe(const SourceLine& line);

// A function of this project, and the user's lines that called it, innermost first.
struct UserCode {
  std::string call;
  std::vector<SourceLine> lines;
  auto operator<=>(const UserCode&) const = default;
};

using StackId = uint32_t;  // 0: none

class Stacks {
 public:
  static Stacks& of_process();

  // Captures the calling thread's stack. Equal stacks have one number.
  StackId capture();
  // Returns the user's part of a stack. `call` names the function of this project that the user
  // called; empty: any.
  UserCode user_code(StackId stack, std::string_view call = {});

  // Adds a stack that another process captured. Equal stacks have one number, as a recording may be
  // played any number of times.
  StackId add(UserCode code);
  // Makes capture() return `stack` on this thread, until play(nullopt).
  static void play(std::optional<StackId> stack);

 private:
  using Addresses = std::vector<uintptr_t>;
  struct Stack {  // exactly one is set
    const Addresses* own = nullptr;
    const UserCode* foreign = nullptr;
  };
  template <class Key>
  StackId number_of(std::map<Key, StackId>& numbers, Key key, const Key* Stack::*member);

  std::mutex mutex_;
  std::map<Addresses, StackId> numbers_;
  std::map<UserCode, StackId> foreign_numbers_;
  std::vector<Stack> stacks_;  // indexed by number - 1
};

}  // namespace tputwin::insight
