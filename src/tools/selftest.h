// tputwin selftest: compares this processor's results with the chip's bytes, for each of its
// instruction sets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "tools/campaign/campaign.h"

namespace tputwin::tools {

struct SelftestOptions {
  uint64_t cases = 6, seed = 1;  // random operations of each kind
  std::string only;              // one kind; "": all, and recorded cases
  std::string isa;               // one instruction set; "": all
  int threads = 0;               // 0: one, and all
  bool random = false;           // no recorded cases
  // For random operations alone: the file to continue from.
  std::string checkpoint;
  // Directory with libexec/tputwin and share/tputwin; "": that of this program.
  std::string prefix;
};

// Results of one instruction set.
struct TargetReport {
  std::string isa;
  uint64_t operations = 0, recorded = 0;  // compared
  // The first difference, and the command line that repeats it.
  std::string difference, rerun;
  bool ok() const { return difference.empty(); }
};

// Runs every random operation on the reference kernels and on every instruction set. The recorded
// cases run in the programs that check them, one for each API. Without recorded cases, the
// processes that mpirun started share the work (campaign/campaign.h), and only the leader returns
// reports.
Result<std::vector<TargetReport>> run_selftest(const SelftestOptions& options);

// The random operations of a selftest in units, which any process may do.
class SelftestUnits {
 public:
  // Errors: mch_isa, cli_selftest_kind.
  static Result<std::unique_ptr<SelftestUnits>> open(const SelftestOptions& options);
  ~SelftestUnits();

  Campaign campaign();  // used while this object exists
  std::vector<TargetReport> sum_of(const std::vector<std::string>& lines) const;

 private:
  struct Parts;
  explicit SelftestUnits(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Returns one line for each report, and the compiled instruction sets that this host lacks.
std::string selftest_text(const std::vector<TargetReport>& reports);

}  // namespace tputwin::tools
