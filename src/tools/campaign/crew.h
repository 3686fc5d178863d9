// The processes of one run under MPI: a leader (rank 0), which assigns units of work, and all
// others, which request them. The implementation is a library of its own, libtputwin_mpi.so, which
// is loaded only in a process that mpirun started.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"

namespace tputwin::tools {

inline constexpr uint64_t kNoUnit = UINT64_MAX;

// Message of a member to the leader, which also requests the next unit.
struct CrewMessage {
  int from = 0;
  uint64_t unit = kNoUnit;  // the finished unit; kNoUnit: none yet
  bool failed = false;
  // Result or error of the unit; with kNoUnit the identity of the campaign.
  std::string result;
};

// Answer of the leader.
struct CrewAnswer {
  uint64_t unit = kNoUnit;                  // the next unit; kNoUnit: none is left
  std::optional<std::string> summary = {};  // of the campaign's first part, sent once
};

// One thread at a time uses it.
class Crew {
 public:
  virtual ~Crew() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // For the leader: returns a message, if there is one, and answers it.
  virtual std::optional<CrewMessage> receive() = 0;
  virtual void answer(int to, const CrewAnswer& answer) = 0;
  // For the others: sends a message and waits for the answer.
  virtual CrewAnswer ask(const CrewMessage& message) = 0;
};

// The function that libtputwin_mpi.so exports.
using MakeCrew = Crew*();
inline constexpr const char* kMakeCrew = "tputwin_make_crew";

// Returns the crew of this process; nullptr if it was started alone. Returns cli_campaign if mpirun
// started it and the library is missing.
Result<std::unique_ptr<Crew>> find_crew(const char* library = "libtputwin_mpi.so");

}  // namespace tputwin::tools
