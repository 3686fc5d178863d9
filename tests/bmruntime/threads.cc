// Several threads on one network, or on networks of one device: each thread gets the outputs of its
// inputs.
#include <filesystem>
#include <functional>
#include <libbmruntime/bmruntime.hpp>
#include <thread>

#include "bmruntime/support.h"

namespace tputwin::test {
namespace {

constexpr int kThreads = 8, kRounds = 100;
constexpr size_t kCount = 3 * 16 * 4;

// Runs work(thread) on all threads at once; returns the sum of the results.
int together(const std::function<int(int)>& work) {
  std::vector<int> counts(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { counts[static_cast<size_t>(i)] = work(i); });
  for (auto& thread : threads) thread.join();
  return std::accumulate(counts.begin(), counts.end(), 0);
}

uint64_t seed(int thread, int round) { return static_cast<uint64_t>(1000 * thread + round); }

// Runs inferences with the thread's own inputs; returns the number of wrong outputs.
int wrong_inferences(bmnet_t net, const Bytes& weight, int thread) {
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    Bytes in = random_bytes(kCount, seed(thread, round)), out(kCount);
    const bool ran = bmnet_inference(net, in.data(), out.data()) == BM_SUCCESS;
    wrong += !ran || out != expected_max(in, weight);
  }
  return wrong;
}

TEST(Threads, InferencesOfOneNetworkDoNotMix) {
  Runtime runtime;
  const auto model = max_model({16});
  bmnet_t net = register_model(runtime.ctx, model);
  EXPECT_EQ(together([&](int i) { return wrong_inferences(net, model.weights[0], i); }), 0);
}

TEST(Threads, NetworksComeAndGoDuringInferences) {
  Runtime runtime;
  const auto model = max_model({16});
  auto file = bmodel::write(model, bmodel::Container::v2_1);
  ASSERT_TRUE(file.ok());
  bmnet_t shared = register_model(runtime.ctx, model);
  const auto work = [&](int thread) {
    if (thread % 2 == 0) return wrong_inferences(shared, model.weights[0], thread);
    int wrong = 0;
    for (int round = 0; round < kRounds / 4; ++round) {
      bmnet_t own = nullptr;
      if (bmnet_register_bmodel_data(runtime.ctx, file->data(), file->size(), &own) != BM_SUCCESS)
        return kRounds;
      Bytes in = random_bytes(kCount, seed(thread, round)), out(kCount), weight(kCount);
      wrong += bmnet_inference(own, in.data(), out.data()) != BM_SUCCESS ||
               out != expected_max(in, model.weights[0]);
      wrong += bm_memcpy_d2s(runtime.ctx, weight.data(), bmnet_weight_devmem(own)) != BM_SUCCESS ||
               weight != model.weights[0];
      bmnet_cleanup(own);
    }
    return wrong;
  };
  EXPECT_EQ(together(work), 0);
}

// Networks of one context that alternately use the same neuron memory.
TEST(Threads, NetworksThatShareNeuronMemory) {
  Runtime runtime;
  const auto model = max_model({16});
  Bytes commands = model.varieties[0].cmdbuf;
  bmmem_device_t neurons = bmmem_device_alloc_raw(runtime.ctx, 2 * kCount);
  std::vector<bmnet_t> nets;
  for (int i = 0; i < kThreads; ++i) {
    nets.push_back(register_model(runtime.ctx, model));
    ASSERT_EQ(bmnet_import_neuron_devmem(nets.back(), neurons), BM_SUCCESS);
    ASSERT_EQ(bmnet_load_cmdbuf(nets.back(), commands.data(), static_cast<int>(commands.size())),
              BM_SUCCESS);
  }
  EXPECT_EQ(together([&](int i) {
              return wrong_inferences(nets[static_cast<size_t>(i)], model.weights[0], i);
            }),
            0);
}

TEST(Threads, RegisterInferCleanUpInOneCall) {
  Runtime runtime;
  const auto model = max_model({16});
  Bytes weight = model.weights[0], commands = model.varieties[0].cmdbuf;
  const auto work = [&](int thread) {
    int wrong = 0;
    for (int round = 0; round < kRounds / 4; ++round) {
      Bytes in = random_bytes(kCount, seed(thread, round)), out(kCount);
      wrong += bmnet_inference_once(runtime.ctx, in.data(), out.data(), 1, weight.data(),
                                    weight.size(), commands.data(), commands.size(), 2 * kCount,
                                    kCount, kCount, kCount) != BM_SUCCESS ||
               out != expected_max(in, weight);
    }
    return wrong;
  };
  EXPECT_EQ(together(work), 0);
}

// Threads select different varieties: forward keeps the selection until it has the outputs.
TEST(Threads, ForwardOfOneNetObject) {
  const auto model = max_model({4, 16, 7});
  const std::string path = testing::TempDir() + "threads_of_one_net.bmodel";
  ASSERT_TRUE(bmodel::write_file(model, bmodel::Container::v2_1, path).ok());
  bmruntime::Net net(path);
  std::filesystem::remove(path);
  const auto work = [&](int thread) {
    constexpr int kHeights[] = {4, 16, 7};
    int wrong = 0;
    for (int round = 0; round < kRounds; ++round) {
      const int height = kHeights[(thread + round) % 3];
      shape_t shape = shape_t4(1, 3, height, 4);
      Bytes in = random_bytes(static_cast<size_t>(12 * height), seed(thread, round));
      std::vector<bmruntime::Blob> inputs{{in.data(), shape, FMT_I8}};
      if (net.forward(inputs) != 0) return kRounds;
      const bmruntime::Blob* out = net.output("out");
      const auto* data = static_cast<const uint8_t*>(out->data());
      wrong += Bytes(data, data + out->size()) != expected_max(in, model.weights[0]);
    }
    return wrong;
  };
  EXPECT_EQ(together(work), 0);
  EXPECT_NE(net.output("out"), nullptr) << "a thread without a forward sees the last one's";
}

}  // namespace
}  // namespace tputwin::test
