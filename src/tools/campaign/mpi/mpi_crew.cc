// Messages by MPI: a number and a flag, then a text.
#include <mpi.h>

#include <cstring>
#include <vector>

#include "tools/campaign/crew.h"

namespace tputwin::tools {
namespace {

constexpr int kReport = 1, kAnswer = 2;  // tags
constexpr size_t kHead = sizeof(uint64_t) + 1;

class MpiCrew final : public Crew {
 public:
  MpiCrew() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiCrew() override { MPI_Finalize(); }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::optional<CrewMessage> receive() override {
    int is_there = 0, bytes = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kReport, MPI_COMM_WORLD, &is_there, &status);
    if (is_there == 0) return {};
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    std::vector<char> packed(static_cast<size_t>(bytes));
    MPI_Recv(packed.data(), bytes, MPI_CHAR, status.MPI_SOURCE, kReport, MPI_COMM_WORLD, &status);
    CrewMessage message{.from = status.MPI_SOURCE, .result = {}};
    std::memcpy(&message.unit, packed.data(), sizeof message.unit);
    message.failed = packed[sizeof message.unit] != 0;
    message.result.assign(packed.begin() + kHead, packed.end());
    return message;
  }
  void answer(int to, uint64_t unit) override {
    MPI_Send(&unit, 1, MPI_UINT64_T, to, kAnswer, MPI_COMM_WORLD);
  }
  uint64_t ask(const CrewMessage& message) override {
    std::vector<char> packed(kHead);
    std::memcpy(packed.data(), &message.unit, sizeof message.unit);
    packed[sizeof message.unit] = message.failed ? 1 : 0;
    packed.insert(packed.end(), message.result.begin(), message.result.end());
    MPI_Send(packed.data(), static_cast<int>(packed.size()), MPI_CHAR, 0, kReport, MPI_COMM_WORLD);
    uint64_t unit = kNoUnit;
    MPI_Recv(&unit, 1, MPI_UINT64_T, 0, kAnswer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return unit;
  }

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace
}  // namespace tputwin::tools

extern "C" tputwin::tools::Crew* tputwin_make_crew() { return new tputwin::tools::MpiCrew; }
