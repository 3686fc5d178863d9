// Bmodels of the BM1684X and BM1684, in one run: each net on the simulator, the same convolutions
// and products alone by oneDNN, and the seconds recorded with the reference model. Rounds
// alternate. The program prints the ratios, the times and the simulator's time by operation. It
// compares the outputs with the recorded ones.
//
//   bench_bmodels168x [--data DIRECTORY] [--rounds N] [--json FILE] [NET...]
//
// DIRECTORY holds bmodels and cases.jsonl, as tests/conformance/bm168x does. Without --data, the
// environment variable TPUTWIN_BMODELS names it. Networks that are built here always run. All use
// the same number of threads: TPUTWIN_THREADS (default: all processors), and for oneDNN
// OMP_NUM_THREADS (default: the same).
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "bmodel/open.h"
#include "built168x.h"
#include "conformance/bm168x/src/synthetic_input.h"
#include "library_program.h"
#include "machine/device.h"
#include "ops/fast/fast.h"
#include "options.h"
#include "times.h"
#include "tools/bm168x/session168x.h"

namespace {

using namespace tputwin;
using nlohmann::json;

// One net: its file, its inputs and its recorded results.
struct Case {
  std::string name, path;
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<std::string> outputs;  // SHA-256; empty if not known
  double recorded_seconds = 0, macs = 0;
};

Case recorded_case(const json& line, const std::string& folder) {
  Case result{.name = line["net"], .path = folder + "/" + line["file"].get<std::string>()};
  for (const json& input : line["inputs"]) {
    uint64_t count = 1;
    for (uint64_t extent : input["shape"]) count *= extent;
    result.inputs.push_back(recorded::synthetic_input(input["gen"], input["seed"], input["index"],
                                                      input["dtype"], count));
  }
  for (const json& output : line["outputs"]) result.outputs.push_back(output["sha256"]);
  result.recorded_seconds = line["closed_seconds"];
  result.macs = line["macs"];
  return result;
}

std::vector<Case> recorded_cases(const std::string& folder) {
  std::vector<Case> cases;
  std::ifstream lines(folder + "/cases.jsonl");
  for (std::string line; std::getline(lines, line);)
    if (const json parsed = json::parse(line); parsed.contains("closed_seconds"))
      cases.push_back(recorded_case(parsed, folder));
  if (cases.empty()) fmt::print("no recorded networks: --data or TPUTWIN_BMODELS name none\n");
  return cases;
}

// Wall time between instructions, by operation.
class Clockwork final : public Observer {
 public:
  void begin() { last_ = bench::Clock::now(); }
  void on_instruction(const Instruction& instruction, const Footprint&, const Cost&) override {
    auto& [count, seconds] = rows_[std::string(name(instruction.op))];
    ++count;
    seconds += bench::seconds_since(last_);
    last_ = bench::Clock::now();
  }
  const std::map<std::string, std::pair<size_t, double>>& rows() const { return rows_; }

 private:
  std::map<std::string, std::pair<size_t, double>> rows_;
  bench::Clock::time_point last_;
};

struct Result {
  std::string name;
  bench::Times simulator, library;
  double recorded_seconds = 0, macs = 0, load_ms = 0;
  std::string bytes;  // "equal", "WRONG" or "not recorded"
  PlanStatistics statistics;
  Clockwork clockwork;

  double gmacs_per_thread() const { return macs / simulator.median() / 1e6 / thread_count(); }
};

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

std::string compare(const Case& net, const std::vector<std::vector<uint8_t>>& outputs) {
  if (net.outputs.empty()) return "not recorded";
  for (size_t i = 0; i < outputs.size(); ++i)
    if (recorded::sha256(outputs[i].data(), outputs[i].size()) != net.outputs[i]) return "WRONG";
  return "equal";
}

Status measure(const Case& net, int rounds, Result& result) {
  const auto start = bench::Clock::now();
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(net.path));
  TW_ASSIGN_OR_RETURN(session, tools::Session168x::open(file));
  result.load_ms = bench::seconds_since(start) * 1e3;
  const auto& loaded = *session->runtime().nets().front();
  TW_ASSIGN_OR_RETURN(groups, loaded.stages().front()->groups());
  bench::LibraryProgram library;
  for (const auto& group : *groups) library.add(group->instructions());
  result.name = net.name;
  result.recorded_seconds = net.recorded_seconds;
  result.macs = net.macs != 0 ? net.macs : library.macs();
  Status status;
  tools::Session168x::Buffers outputs;
  const auto run = [&] {
    if (Status ran = session->infer(loaded.name(), 0, net.inputs, outputs); !ran.ok())
      status = std::move(ran);
  };
  for (int round = 0; round <= rounds && status.ok(); ++round) {
    result.simulator.measure(run);
    result.library.measure([&] { library.run(); });
    if (round == 0) result.simulator.forget(), result.library.forget();
  }
  if (!status.ok()) return status;
  result.bytes = compare(net, outputs);
  for (const auto& group : *groups) {
    const PlanStatistics statistics = group->statistics();
    result.statistics.instructions += statistics.instructions;
    result.statistics.prepared += statistics.prepared;
    result.statistics.elided_loads += statistics.elided_loads;
    result.statistics.fused_epilogues += statistics.fused_epilogues;
  }
  session->watch(&result.clockwork);
  result.clockwork.begin();
  run();
  session->watch(nullptr);
  return status;
}

void print(const Result& r) {
  const double simulator = r.simulator.median();
  fmt::print("{:18} {:7.2f} {:7.2f} {:7.0f} {:8.1f}   {:8.2f} {:8.2f} {:9.0f}   {}\n", r.name,
             ratio(simulator, r.library.median()),
             ratio(r.simulator.least_cpu(), r.library.least_cpu()),
             ratio(r.recorded_seconds * 1e3, simulator), r.gmacs_per_thread(), simulator,
             r.library.median(), r.recorded_seconds * 1e3, r.bytes);
}

// Prints wall time of an observed run, in which every instruction runs by itself.
void print_operations(const Result& r) {
  double all = 0;
  for (const auto& [operation, row] : r.clockwork.rows()) all += row.second;
  fmt::print(
      "{}: {} instructions, {} prepared, {} fused, {} loads elided; loaded in {:.0f} ms; one "
      "run, watched\n",
      r.name, r.statistics.instructions, r.statistics.prepared, r.statistics.fused_epilogues,
      r.statistics.elided_loads, r.load_ms);
  for (const auto& [operation, row] : r.clockwork.rows())
    fmt::print("  {:<26}{:7} x {:6.1f} %  {:8.2f} ms\n", operation, row.first,
               100 * row.second / all, row.second * 1e3);
}

json json_of(const Result& r) {
  json result{{"name", r.name},
              {"to_onednn", ratio(r.simulator.median(), r.library.median())},
              {"times_recorded_model", ratio(r.recorded_seconds * 1e3, r.simulator.median())},
              {"gmacs_per_thread", r.gmacs_per_thread()},
              {"twin", r.simulator.json()},
              {"onednn_products", r.library.json()},
              {"recorded_seconds", r.recorded_seconds},
              {"macs", r.macs},
              {"load_ms", r.load_ms},
              {"bytes", r.bytes}};
  for (const auto& [operation, row] : r.clockwork.rows())
    result["watched_ms"][operation] = row.second * 1e3;
  return result;
}

using bench::Options;

int run(const Options& options) {
#ifndef NDEBUG
  fmt::print("this is a debug build: its figures mean nothing\n");
#endif
  std::vector<Case> cases = recorded_cases(options.folder);
  const std::string folder =
      std::filesystem::temp_directory_path() / fmt::format("bmodels168x-{}", getpid());
  std::filesystem::create_directory(folder);
  for (const bench::Built& built : bench::built_networks()) {
    if (!options.wants(built.name)) continue;
    const std::string path = folder + "/" + built.name + ".bmodel";
    auto input = bench::write_built(built, path);
    if (!input.ok()) {
      fmt::print("{}: {}\n", built.name, input.error().message());
      continue;
    }
    cases.push_back({.name = built.name, .path = path, .inputs = {*input}, .outputs = {}});
  }
  fmt::print("{} threads, {}; medians of {} calls\n", thread_count(), fast::selected_isa(),
             3 * options.rounds);
  fmt::print("{:18} {:>15} {:>7} {:>8}   {:>8} {:>8} {:>9}   outputs\n", "", "tputwin / oneDNN",
             "faster", "GMAC/s", "tputwin", "oneDNN", "model, ms");
  fmt::print("{:18} {:>7} {:>7} {:>7} {:>8}\n", "", "median", "cpu", "x model", "a thread");
  json report{{"threads", thread_count()},
              {"instruction_set", std::string(fast::selected_isa())},
              {"networks", json::array()}};
  std::vector<Result> results;
  int code = 0;
  for (const Case& net : cases) {
    if (!options.wants(net.name)) continue;
    Result& result = results.emplace_back();
    if (const Status status = measure(net, options.rounds, result); !status.ok()) {
      fmt::print("{}: {}\n", net.name, status.error().message());
      results.pop_back();
      code = 1;
      continue;
    }
    print(result);
    std::fflush(stdout);
    code |= result.bytes == "WRONG";
    report["networks"].push_back(json_of(result));
  }
  for (const Result& result : results) print_operations(result);
  if (!options.json.empty()) std::ofstream(options.json) << report.dump(2) << "\n";
  std::filesystem::remove_all(folder);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Options options{.rounds = 5};
  if (const char* data = std::getenv("TPUTWIN_BMODELS")) options.folder = data;
  return options.read(argc, argv, "--data") ? run(options) : 2;
}
