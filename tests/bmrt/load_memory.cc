// Device memory of loads: of the size that bmrt_get_bmodel_info returns, at the caller's address.
#include <filesystem>
#include <fstream>

#include "bmrt/support.h"

namespace tputwin::testing {
namespace {

class LoadMemoryTest : public Bmrt {
 protected:
  uint64_t used() const {
    bm_heap_stat_byte_t stat;
    EXPECT_EQ(bm_get_gmem_heap_stat_byte_by_id(device, &stat, 0), BM_SUCCESS);
    return stat.mem_used;
  }
  // Allocates the memory of a load, filled with a byte that occurs nowhere else.
  mem_info_t allocated(const mem_info_t& wanted) {
    mem_info_t given = wanted;
    for (memory_t* memory : {&given.neuron_mem, &given.coeff_mem, &given.io_mem}) {
      if (memory->size == 0) continue;
      bm_device_mem_u64_t block;
      EXPECT_EQ(bm_malloc_device_byte_u64(device, &block, memory->size), BM_SUCCESS);
      Bytes bytes(memory->size, 0xa5);
      EXPECT_EQ(bm_memcpy_s2d_u64(device, block, bytes.data()), BM_SUCCESS);
      memory->addr = static_cast<int64_t>(bm_mem_get_device_addr_u64(block));
      blocks_.push_back(block);
    }
    return given;
  }
  Bytes read(const memory_t& memory) {
    Bytes bytes(memory.size);
    const auto block = bm_mem_from_device_u64(static_cast<uint64_t>(memory.addr), memory.size);
    EXPECT_EQ(bm_memcpy_d2s_u64(device, bytes.data(), block), BM_SUCCESS);
    return bytes;
  }
  ~LoadMemoryTest() override {
    for (const auto& block : blocks_) bm_free_device_u64(device, block);
  }

 private:
  std::vector<bm_device_mem_u64_t> blocks_;
};

uint64_t sum(const mem_info_t& info) {
  return info.instruction_mem.size + info.variable_instruction_mem.size + info.neuron_mem.size +
         info.coeff_mem.size + info.io_mem.size;
}

std::vector<std::string> recorded_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TPUTWIN_RECORDED))
    if (entry.path().extension() == ".bmodel") files.push_back(entry.path().filename());
  std::sort(files.begin(), files.end());
  return files;
}

Bytes bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(LoadMemoryTest, SizesAreWhatLoadsTake) {
  const auto files = recorded_files();
  ASSERT_FALSE(files.empty());
  for (const std::string& file : files) {
    mem_info_t info;
    const uint64_t before = used();
    ASSERT_TRUE(bmrt_get_bmodel_info(recorded(file).c_str(), &info)) << file;
    EXPECT_EQ(used(), before);
    void* other = bmrt_create(device);
    ASSERT_TRUE(bmrt_load_bmodel(other, recorded(file).c_str()));
    EXPECT_EQ(used() - before, sum(info)) << file;
    bmrt_destroy(other);
    EXPECT_EQ(used(), before) << file;
    Bytes bytes = bytes_of(recorded(file));
    ASSERT_TRUE(bmrt_get_bmodel_data_info(bytes.data(), bytes.size(), &info)) << file;
    other = bmrt_create(device);
    ASSERT_TRUE(bmrt_load_bmodel_data(other, bytes.data(), bytes.size()));
    EXPECT_EQ(used() - before, sum(info)) << file;
    bmrt_destroy(other);
    EXPECT_EQ(info.neuron_mem.type, 0);
    EXPECT_EQ(info.neuron_mem.number, 1);
    EXPECT_EQ(info.neuron_mem.addr, 0);
  }
}

TEST_F(LoadMemoryTest, LoadsIntoTheCallersMemory) {
  for (const std::string& file : recorded_files()) {
    mem_info_t info;
    Bytes bytes = bytes_of(recorded(file));
    ASSERT_TRUE(bmrt_get_bmodel_data_info(bytes.data(), bytes.size(), &info));
    void* const plain = runtime;
    ASSERT_TRUE(bmrt_load_bmodel(plain, recorded(file).c_str()));
    mem_info_t given = allocated(info);
    const Bytes neurons = read(given.neuron_mem);
    const uint64_t before = used();
    for (const bool from_data : {false, true}) {
      void* other = bmrt_create(device);
      ASSERT_TRUE(from_data
                      ? bmrt_load_bmodel_data_with_mem(other, bytes.data(), bytes.size(), &given)
                      : bmrt_load_bmodel_with_mem(other, recorded(file).c_str(), &given))
          << file << ": " << tputwin_last_error();
      EXPECT_EQ(used(), before) << file;
      const char** names = nullptr;
      bmrt_get_network_names(other, &names);
      const auto inside = [](const memory_t& memory, uint64_t address) {
        const auto begin = static_cast<uint64_t>(memory.addr);
        return begin <= address && address < begin + memory.size;
      };
      for (int i = 0; i < std::min(2, bmrt_get_network_number(other)); ++i) {
        const bm_net_info_t& net = *bmrt_get_network_info(other, names[i]);
        for (int k = 0; k < net.input_num; ++k) {
          const uint64_t at = bm_mem_get_device_addr(net.stages[0].input_mems[k]);
          EXPECT_TRUE(at == 0 || inside(given.neuron_mem, at) || inside(given.io_mem, at));
        }
        if (net.is_dynamic) continue;
        runtime = plain;
        const Bytes expected = run_data(net, 0);
        runtime = other;
        EXPECT_EQ(run_data(net, 0), expected) << file << " " << net.name;
      }
      std::free(names);
      bmrt_destroy(other);
    }
    runtime = plain;
    if (info.coeff_mem.size != 0) {
      EXPECT_NE(read(given.coeff_mem), Bytes(info.coeff_mem.size, 0xa5)) << file;
    }
    EXPECT_NE(read(given.neuron_mem), neurons) << file << ": a run writes its neurons there";
    EXPECT_EQ(used(), before) << "the memory stays the caller's";
    bmrt_destroy(runtime);
    runtime = bmrt_create(device);
  }
}

constexpr const char* kFile = "layers-conv-fp16.bmodel";

TEST_F(LoadMemoryTest, MemoryThatWillNotDo) {
  const std::string path = recorded(kFile);
  mem_info_t info;
  ASSERT_TRUE(bmrt_get_bmodel_info(path.c_str(), &info));
  const mem_info_t good = allocated(info);
  const auto refused = [&](mem_info_t bad) {
    tputwin_clear_errors();
    EXPECT_FALSE(bmrt_load_bmodel_with_mem(runtime, path.c_str(), &bad));
    EXPECT_EQ(bmrt_get_network_number(runtime), 0);
    return code();
  };
  mem_info_t bad = good;
  bad.neuron_mem.size -= 1;
  EXPECT_EQ(refused(bad), "TW-BRT-0114");
  EXPECT_NE(std::string(tputwin_last_error()).find("neuron_mem"), std::string::npos);
  bad = good;
  bad.coeff_mem.type = 1;
  EXPECT_EQ(refused(bad), "TW-BRT-0114");
  bad = good;
  bad.neuron_mem.addr += 64;
  bad.neuron_mem.size += 4096;
  EXPECT_EQ(refused(bad), "TW-BRT-0114");
  bad = good;
  bad.coeff_mem.addr = bad.neuron_mem.addr;
  EXPECT_EQ(refused(bad), "TW-BRT-0114");
  bad = good;
  bad.coeff_mem.addr = 4096;
  EXPECT_EQ(refused(bad), "TW-BML-0208");
  bad = good;
  bad.neuron_mem.addr = -4096;
  EXPECT_EQ(refused(bad), "TW-BML-0208");
  bad = good;
  bad.neuron_mem.size = UINT64_MAX;
  EXPECT_EQ(refused(bad), "TW-BML-0208");
  EXPECT_EQ(refused(mem_info_t{}), "TW-BRT-0114");
  EXPECT_FALSE(bmrt_load_bmodel_with_mem(runtime, path.c_str(), nullptr));
  EXPECT_FALSE(bmrt_load_bmodel_with_mem(runtime, nullptr, &bad));
  EXPECT_FALSE(bmrt_load_bmodel_data_with_mem(runtime, nullptr, 0, &bad));
  EXPECT_FALSE(bmrt_get_bmodel_info(nullptr, &bad));
  EXPECT_FALSE(bmrt_get_bmodel_info(path.c_str(), nullptr));
  EXPECT_FALSE(bmrt_get_bmodel_data_info(nullptr, 1, &bad));
  EXPECT_EQ(code(), "TW-BRT-0001");
  EXPECT_FALSE(bmrt_get_bmodel_data_info("none", 4, &bad));
  EXPECT_EQ(code(), "TW-BRT-0101");
  EXPECT_FALSE(bmrt_get_bmodel_info("/no/such.bmodel", &bad));
  EXPECT_EQ(code(), "TW-SYS-0001");
  EXPECT_FALSE(bmrt_load_bmodel_with_mem(&bad, path.c_str(), &bad));
  EXPECT_FALSE(bmrt_load_bmodel_data_with_mem(&bad, "none", 4, &bad));
  EXPECT_EQ(code(), "TW-BRT-0002");
}

TEST_F(LoadMemoryTest, CoefficientsStayWhenTheRuntimeEnds) {
  const std::string path = recorded(kFile);
  mem_info_t info;
  ASSERT_TRUE(bmrt_get_bmodel_info(path.c_str(), &info));
  ASSERT_GT(info.coeff_mem.size, 0u);
  const std::string copy = ::testing::TempDir() + "coefficients_stay.bmodel";
  std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
  const uint64_t before = used();
  void* other = bmrt_create(device);
  ASSERT_TRUE(bmrt_load_bmodel(other, copy.c_str()));
  // The file's nets share neurons; weights begin after or before them. So all memory is compared.
  const auto all = bm_mem_from_device_u64(0x100000000, before + sum(info));
  Bytes loaded(all.size), later(all.size);
  ASSERT_EQ(bm_memcpy_d2s_u64(device, loaded.data(), all), BM_SUCCESS);
  bmrt_destroy_without_coeff(other);
  EXPECT_EQ(used() - before, info.coeff_mem.size);
  // The loaded weights do not depend on the file.
  std::filesystem::resize_file(copy, 0);
  std::filesystem::remove(copy);
  ASSERT_EQ(bm_memcpy_d2s_u64(device, later.data(), all), BM_SUCCESS);
  EXPECT_EQ(later, loaded);
  tputwin_clear_errors();
  bmrt_destroy_without_coeff(other);
  EXPECT_EQ(code(), "TW-BRT-0002");
  tputwin_clear_errors();
  bmrt_destroy_without_coeff(nullptr);
  EXPECT_EQ(tputwin_error_count(), 0u);
}

TEST_F(LoadMemoryTest, WithoutCoefficientsInTheCallersMemory) {
  const std::string path = recorded(kFile);
  mem_info_t info;
  ASSERT_TRUE(bmrt_get_bmodel_info(path.c_str(), &info));
  mem_info_t given = allocated(info);
  const uint64_t before = used();
  void* other = bmrt_create(device);
  ASSERT_TRUE(bmrt_load_bmodel_with_mem(other, path.c_str(), &given));
  const Bytes weights = read(given.coeff_mem);
  bmrt_destroy_without_coeff(other);
  EXPECT_EQ(used(), before);
  EXPECT_EQ(read(given.coeff_mem), weights);
}

}  // namespace
}  // namespace tputwin::testing
