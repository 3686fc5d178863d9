// tputwin_bdc_command, tputwin_gdma_command: commands of streams in kernels of both APIs.
#include <tputwin/raw_command.h>

#include "base/errors/tpukernel.h"
#include "isa/streams/format.h"
#include "sdk/okkernel/kernel_call.h"

namespace tputwin::okk {
namespace {

// A call of the API that the calling thread's kernel uses.
class RawCall : public KernelCall {
 public:
  explicit RawCall(std::string_view name)
      : KernelCall(name, current_session() != nullptr ? current_session()->rules() : kTpuRules) {}

  const isa::StreamFormat& format() const { return isa::format_of(session().chip()); }
  // Reports the error that prevents the command.
  void refuse(Error error) const { session().report(std::move(error), name()); }

  void issue_decoded(const Result<isa::OneCommand>& one, size_t given) {
    if (!one.ok()) return refuse(one.error());
    if (one->bytes != given)
      return refuse(Error(errors::tpu_raw_command)
                        .argument("bytes", fmt::format("{} of {}", given, one->bytes)));
    // No operation: idle commands, and the end of a stream where a command marks it.
    if (one->is_idle || (one->is_end && format().end != nullptr))
      return refuse(Error(errors::tpu_raw_command).argument("words", "no operation"));
    for (const isa::UnconfirmedForm& form : one->unconfirmed)
      if (!session().report(isa::unconfirmed_warning(form, ""), name())) return;
    issue(one->instruction.op);
    if (const Status status = isa::fault_of(one->instruction); !status.ok()) refuse(status.error());
  }
};

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

void tputwin_bdc_command(const unsigned int* words, unsigned int bytes) {
  RawCall call(__func__);
  if (!call.ok() || !call.present(words, "words")) return;
  const std::span command(reinterpret_cast<const uint8_t*>(words), bytes);
  call.issue_decoded(isa::decode_tiu_command(command, call.session().chip()), bytes);
}

void tputwin_gdma_command(const unsigned int* words, unsigned int bytes,
                          const tputwin_moved_t* moved, unsigned int count) {
  RawCall call(__func__);
  if (!call.ok() || !call.present(words, "words") || (count != 0 && !call.present(moved, "moved")))
    return;
  const isa::StreamOptions options{.relocate = [&](uint64_t at) {
    for (const tputwin_moved_t& pair : std::span(moved, count))
      if (pair.compiled == at) return uint64_t{pair.address};
    return at;
  }};
  const std::span command(reinterpret_cast<const uint8_t*>(words), bytes);
  call.issue_decoded(isa::decode_gdma_command(command, call.session().chip(), options), bytes);
}
