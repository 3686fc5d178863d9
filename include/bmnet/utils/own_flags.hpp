// Replacement of gflags for <bmnet/utils/logging.hpp>: DEFINE_int32(name, value, help) defines
// FLAGS_name, which --name=value or --name value on the command line sets. C++11.
#ifndef BMNET_UTILS_OWN_FLAGS_HPP
#define BMNET_UTILS_OWN_FLAGS_HPP

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace google {

// A flag: address of its value, and its parser.
struct FlagEntry {
  void* value;
  bool (*parse)(const std::string& text, void* value);
  bool is_bool;
  std::string help;
};

inline std::map<std::string, FlagEntry>& AllFlags() {
  static std::map<std::string, FlagEntry> flags;
  return flags;
}

template <class T>
bool ParseFlag(const std::string& text, void* value) {
  std::istringstream stream(text);
  stream >> *static_cast<T*>(value);
  return !stream.fail() && stream.peek() == std::istringstream::traits_type::eof();
}
template <>
inline bool ParseFlag<std::string>(const std::string& text, void* value) {
  *static_cast<std::string*>(value) = text;
  return true;
}
template <>
inline bool ParseFlag<bool>(const std::string& text, void* value) {
  const bool yes = text == "true" || text == "yes" || text == "1";
  *static_cast<bool*>(value) = yes;
  return yes || text == "false" || text == "no" || text == "0";
}

struct FlagRegisterer {
  FlagRegisterer(const char* name, const char* help, void* value, bool is_bool,
                 bool (*parse)(const std::string&, void*)) {
    const FlagEntry entry = {value, parse, is_bool, help};
    AllFlags()[name] = entry;
  }
};

inline std::string& FlagUsage() {
  static std::string usage;
  return usage;
}
inline void SetUsageMessage(const std::string& usage) { FlagUsage() = usage; }

inline void ShowUsageWithFlags(const char*) {
  printf("%s\n", FlagUsage().c_str());
  for (const auto& flag : AllFlags())
    printf("  --%s: %s\n", flag.first.c_str(), flag.second.help.c_str());
}

// Sets the flags of the command line; with `remove` it removes them from it. An unknown flag or a
// bad value ends the program. Returns the index of the first argument that is no flag.
inline uint32_t ParseCommandLineFlags(int* argc, char*** argv, bool remove) {
  std::vector<char*> rest(1, (*argv)[0]), flags;
  for (int i = 1; i < *argc; ++i) {
    char* const argument = (*argv)[i];
    std::string name(argument);
    if (name == "--") {
      rest.insert(rest.end(), *argv + i + 1, *argv + *argc);
      break;
    }
    if (name.size() < 2 || name[0] != '-') {
      rest.push_back(argument);
      continue;
    }
    flags.push_back(argument);
    name.erase(0, name[1] == '-' ? 2 : 1);
    const size_t equals = name.find('=');
    std::string value = equals == std::string::npos ? "" : name.substr(equals + 1);
    name = name.substr(0, equals);
    if (name == "help") {
      ShowUsageWithFlags((*argv)[0]);
      exit(1);
    }
    auto found = AllFlags().find(name);
    const bool negated = found == AllFlags().end() && name.compare(0, 2, "no") == 0;
    if (negated) found = AllFlags().find(name.substr(2));
    if (found == AllFlags().end() || (negated && !found->second.is_bool)) {
      fprintf(stderr, "ERROR: unknown command line flag '%s'\n", name.c_str());
      exit(1);
    }
    if (equals == std::string::npos) {
      value = negated ? "false" : "true";
      if (!found->second.is_bool) {
        if (++i >= *argc) {
          fprintf(stderr, "ERROR: flag '%s' is missing its argument\n", name.c_str());
          exit(1);
        }
        flags.push_back((*argv)[i]);
        value = (*argv)[i];
      }
    }
    if (!found->second.parse(value, found->second.value)) {
      fprintf(stderr, "ERROR: illegal value '%s' specified for flag '%s'\n", value.c_str(),
              name.c_str());
      exit(1);
    }
  }
  // The flags first, as gflags orders them.
  const size_t first = remove ? 1 : 1 + flags.size();
  if (!remove) rest.insert(rest.begin() + 1, flags.begin(), flags.end());
  for (size_t i = 0; i < rest.size(); ++i) (*argv)[i] = rest[i];
  if (remove) *argc = static_cast<int>(rest.size());
  return static_cast<uint32_t>(first);
}

}  // namespace google

namespace gflags {
using google::ParseCommandLineFlags;
using google::SetUsageMessage;
using google::ShowUsageWithFlags;
}  // namespace gflags

#define BMNET_DEFINE_FLAG(type, name, value, help)                                     \
  type FLAGS_##name = value;                                                           \
  static ::google::FlagRegisterer bmnet_flag_##name(#name, help, &FLAGS_##name, false, \
                                                    &::google::ParseFlag<type>)
#define DEFINE_bool(name, value, help)                                                \
  bool FLAGS_##name = value;                                                          \
  static ::google::FlagRegisterer bmnet_flag_##name(#name, help, &FLAGS_##name, true, \
                                                    &::google::ParseFlag<bool>)
#define DEFINE_int32(name, value, help) BMNET_DEFINE_FLAG(int32_t, name, value, help)
#define DEFINE_int64(name, value, help) BMNET_DEFINE_FLAG(int64_t, name, value, help)
#define DEFINE_uint64(name, value, help) BMNET_DEFINE_FLAG(uint64_t, name, value, help)
#define DEFINE_double(name, value, help) BMNET_DEFINE_FLAG(double, name, value, help)
#define DEFINE_string(name, value, help) BMNET_DEFINE_FLAG(std::string, name, value, help)

#define DECLARE_bool(name) extern bool FLAGS_##name
#define DECLARE_int32(name) extern int32_t FLAGS_##name
#define DECLARE_int64(name) extern int64_t FLAGS_##name
#define DECLARE_uint64(name) extern uint64_t FLAGS_##name
#define DECLARE_double(name) extern double FLAGS_##name
#define DECLARE_string(name) extern std::string FLAGS_##name

#endif
