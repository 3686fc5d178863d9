// Runs every stage of every net of a BM1684X bmodel through the C++ interface, on synthetic input.
//
//   network MODEL.bmodel
#include <bmruntime_cpp.h>
#include <tputwin/error.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

std::vector<uint8_t> synthetic(size_t bytes) {
  std::vector<uint8_t> data(bytes);
  for (size_t i = 0; i < bytes; i++) data[i] = (uint8_t)(i * 7 % 61);
  return data;
}

bool run(const bmruntime::Context& context, const char* name, int stage) {
  bmruntime::Network net(context, name, stage);
  if (net.info() == nullptr) return false;
  for (bmruntime::Tensor* input : net.Inputs())
    if (input->CopyFrom(synthetic(input->ByteSize()).data()) != BM_SUCCESS) return false;
  if (net.Forward() != BM_SUCCESS) return false;  // the first run decodes the commands
  const auto start = std::chrono::steady_clock::now();
  if (net.Forward() != BM_SUCCESS) return false;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (size_t i = 0; i < net.Outputs().size(); i++) {
    std::vector<uint8_t> result(net.Outputs()[i]->ByteSize());
    if (net.Outputs()[i]->CopyTo(result.data()) != BM_SUCCESS) return false;
    unsigned long sum = 0;
    for (uint8_t byte : result) sum += byte;
    std::printf("%s stage %d: %s, %zu bytes, sum %lu, %.1f ms\n", name, stage,
                net.info()->output_names[i], result.size(), sum, seconds.count() * 1e3);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: network MODEL.bmodel\n");
    return 2;
  }
  bmruntime::Context context(0);
  bool good = context.load_bmodel(argv[1]) == BM_SUCCESS;
  std::vector<const char*> names;
  context.get_network_names(&names);
  for (const char* name : names)
    for (int stage = 0; good && stage < context.get_network_info(name)->stage_num; stage++)
      good = run(context, name, stage);
  if (!good) std::fprintf(stderr, "%s\n", tputwin_last_error());
  return good ? 0 : 1;
}
