// The processes of one run, as MPI starts them: a leader (rank 0), which hands out units of work,
// and all others, which ask it for them. A library of its own, libtputwin_mpi.so, which is loaded
// only in a process that mpirun started.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"

namespace tputwin::tools {

inline constexpr uint64_t kNoUnit = UINT64_MAX;

// What a member tells the leader, and asks for the next unit with.
struct CrewMessage {
  int from = 0;
  uint64_t unit = kNoUnit;  // the one that is done; kNoUnit: none yet
  bool failed = false;
  std::string result;  // or what went wrong; of none yet, the identity of the campaign
};

// What the leader says to that.
struct CrewAnswer {
  uint64_t unit = kNoUnit;                  // the next; kNoUnit: nothing is left
  std::optional<std::string> summary = {};  // of the campaign's first part, once
};

// Only one thread at a time speaks through it.
class Crew {
 public:
  virtual ~Crew() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Of the leader: a message, if there is one; its answer.
  virtual std::optional<CrewMessage> receive() = 0;
  virtual void answer(int to, const CrewAnswer& answer) = 0;
  // Of the others: sends, and waits for the answer.
  virtual CrewAnswer ask(const CrewMessage& message) = 0;
};

// What libtputwin_mpi.so exports.
using MakeCrew = Crew*();
inline constexpr const char* kMakeCrew = "tputwin_make_crew";

// The crew of this process; nullptr if it was started alone. Errors: cli_campaign, if mpirun
// started it and there is no library for that.
Result<std::unique_ptr<Crew>> find_crew(const char* library = "libtputwin_mpi.so");

}  // namespace tputwin::tools
