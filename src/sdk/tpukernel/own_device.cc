// Kernels that run without a host program: the entry points of the vendor's simulator. The order is
// cmodel_init, set_cur_nodechip_idx, tpu_kernel_init, then tpu_initialize and any tpu_* function on
// the calling thread.
#include <array>
#include <memory>
#include <mutex>

#include "base/errors/tpukernel.h"
#include "base/last_error.h"
#include "chip/family.h"
#include "machine/device.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

constexpr int kNodes = 8;

// A chip, and the session of its threads.
struct Node {
  std::unique_ptr<Device> device;
  std::unique_ptr<Session> session;
};

std::mutex nodes_mutex;
std::array<Node, kNodes> nodes;

bool in_range(std::string_view call, int node) {
  if (0 <= node && node < kNodes) return true;
  static_cast<void>(
      report(Error(errors::tpu_value).argument("node", fmt::format("{}", node)).in(call)));
  return false;
}

Status open(int node, uint64_t global_bytes) {
  auto device =
      Device::create({.chip = &chip_of_process(ChipFamily::bm1684x), .global_bytes = global_bytes});
  if (!device.ok()) return device.error();
  std::lock_guard lock(nodes_mutex);
  Node& place = nodes[static_cast<size_t>(node)];
  place.session = std::make_unique<Session>(**device);
  place.device = std::move(device.value());
  return {};
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

int cmodel_init(int node, unsigned long long global_size) {
  if (!in_range(__func__, node)) return -1;
  Status status = open(node, global_size);
  if (status.ok()) return 0;
  static_cast<void>(report(std::move(status.error()).in(__func__)));
  return -1;
}

void set_cur_nodechip_idx(int node) {
  if (!in_range(__func__, node)) return;
  static thread_local std::unique_ptr<okk::ScopedSession> current;
  std::lock_guard lock(nodes_mutex);
  Session* session = nodes[static_cast<size_t>(node)].session.get();
  current.reset();
  if (session != nullptr) {
    current = std::make_unique<okk::ScopedSession>(*session);
    return;
  }
  static_cast<void>(report(Error(errors::tpu_value)
                               .argument("node", fmt::format("{}", node))
                               .detail("cmodel_init opens it")
                               .in(__func__)));
}

// The tables exist from the start.
void tpu_kernel_init(int node) { static_cast<void>(in_range(__func__, node)); }
