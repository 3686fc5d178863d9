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
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kReport, MPI_COMM_WORLD, &is_there, &status);
    if (is_there == 0) return {};
    const Packed packed = take(status);
    return CrewMessage{.from = status.MPI_SOURCE,
                       .unit = packed.unit,
                       .failed = packed.flag,
                       .result = packed.text};
  }
  void answer(int to, const CrewAnswer& answer) override {
    send(to, kAnswer, {answer.unit, answer.summary.has_value(), answer.summary.value_or("")});
  }
  CrewAnswer ask(const CrewMessage& message) override {
    send(0, kReport, {message.unit, message.failed, message.result});
    MPI_Status status;
    MPI_Probe(0, kAnswer, MPI_COMM_WORLD, &status);
    Packed packed = take(status);
    CrewAnswer answer{.unit = packed.unit};
    if (packed.flag) answer.summary = std::move(packed.text);
    return answer;
  }

 private:
  struct Packed {
    uint64_t unit;
    bool flag;
    std::string text;
  };
  static void send(int to, int tag, const Packed& packed) {
    std::vector<char> bytes(kHead);
    std::memcpy(bytes.data(), &packed.unit, sizeof packed.unit);
    bytes[sizeof packed.unit] = packed.flag ? 1 : 0;
    bytes.insert(bytes.end(), packed.text.begin(), packed.text.end());
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
  }
  // Receives the message that a probe has found.
  static Packed take(const MPI_Status& status) {
    int count = 0;
    MPI_Get_count(&status, MPI_CHAR, &count);
    std::vector<char> bytes(static_cast<size_t>(count));
    MPI_Recv(bytes.data(), count, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    Packed packed{.unit = kNoUnit, .flag = bytes[sizeof packed.unit] != 0, .text = {}};
    std::memcpy(&packed.unit, bytes.data(), sizeof packed.unit);
    packed.text.assign(bytes.begin() + kHead, bytes.end());
    return packed;
  }

  int rank_ = 0, size_ = 1;
};

}  // namespace
}  // namespace tputwin::tools

extern "C" tputwin::tools::Crew* tputwin_make_crew() { return new tputwin::tools::MpiCrew; }
