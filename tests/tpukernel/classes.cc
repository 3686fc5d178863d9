// tpu_bdc_fp_isnan, _isinf, _isposinf, _isneginf on every kind of number, by a formula on the bits.
#include <gtest/gtest.h>

#include "tpukernel/own_device.h"

namespace tputwin::tputest {
namespace {

constexpr dim4 kNumbers{2, 66, 1, 3};
constexpr size_t kNumberCount = 2 * 66 * 3;
constexpr local_addr_t kClassesAt = 0, kNumbersAt = 0x8000, kScratchAt = 0x10000;

struct Format {
  data_type_t type;
  uint32_t one, infinity, sign;  // bits
};
constexpr Format kFormats[] = {{DT_FP32, 0x3f800000, 0x7f800000, 0x80000000},
                               {DT_FP16, 0x3c00, 0x7c00, 0x8000},
                               {DT_BFP16, 0x3f80, 0x7f80, 0x8000}};

// Zeros, subnormals, numbers at the borders, infinities, quiet and signalling NaN of either sign.
std::vector<uint32_t> numbers(const Format& f) {
  std::vector<uint32_t> list;
  for (const uint32_t magnitude : {0u, 1u, f.one, f.one + 1, f.infinity - 1, f.infinity,
                                   f.infinity + 1, f.infinity | f.infinity >> 1, f.sign - 1})
    for (const uint32_t sign : {0u, f.sign}) list.push_back(magnitude | sign);
  std::vector<uint32_t> all;
  for (size_t i = 0; i < kNumberCount; ++i) all.push_back(list[i * 7 % list.size()]);
  return all;
}

struct Function {
  void (*call)(local_addr_t, local_addr_t, local_addr_t, const dim4*, data_type_t);
  bool (*holds)(uint32_t bits, const Format& f);
};
constexpr Function kClasses[] = {
    {tpu_bdc_fp_isnan,
     [](uint32_t bits, const Format& f) { return (bits & (f.sign - 1)) > f.infinity; }},
    {tpu_bdc_fp_isinf,
     [](uint32_t bits, const Format& f) { return (bits & (f.sign - 1)) == f.infinity; }},
    {tpu_bdc_fp_isposinf, [](uint32_t bits, const Format& f) { return bits == f.infinity; }},
    {tpu_bdc_fp_isneginf,
     [](uint32_t bits, const Format& f) { return bits == (f.infinity | f.sign); }}};

class Classes : public ::testing::TestWithParam<KernelChoice> {
 protected:
  OwnDevice own_{GetParam()};
};

TEST_P(Classes, AreThoseOfTheBits) {
  for (const Format& format : kFormats)
    for (const Function& function : kClasses)
      for (const local_addr_t result : {kClassesAt, kNumbersAt, kScratchAt}) {
        const std::vector<uint32_t> in = numbers(format);
        Lanes(own_, kNumbersAt, kNumbers, format.type).put(in);
        function.call(result, kNumbersAt, kScratchAt, &kNumbers, format.type);
        const std::vector<uint32_t> out = Lanes(own_, result, kNumbers, format.type).get();
        for (size_t i = 0; i < in.size(); ++i)
          ASSERT_EQ(out[i], function.holds(in[i], format) ? format.one : 0)
              << "type " << format.type << ", bits " << std::hex << in[i];
      }
  EXPECT_EQ(own_.error(), "");
}

INSTANTIATE_TEST_SUITE_P(KernelChoices, Classes,
                         ::testing::Values(KernelChoice::reference, KernelChoice::automatic),
                         [](const auto& info) {
                           return std::string(info.param == KernelChoice::reference ? "reference"
                                                                                    : "automatic");
                         });

TEST(ClassesOfIntegers, AreAnError) {
  OwnDevice own;
  tpu_bdc_fp_isnan(kClassesAt, kNumbersAt, kScratchAt, &kNumbers, DT_INT8);
  EXPECT_NE(own.error().find("tpu_bdc_fp_isnan, command 1 of the launch: dtype = 1"),
            std::string::npos)
      << own.error();
}

TEST(ClassesWithoutAShape, AreAnError) {
  OwnDevice own;
  tpu_bdc_fp_isinf(kClassesAt, kNumbersAt, kScratchAt, nullptr, DT_FP32);
  EXPECT_NE(own.error().find("tpu_bdc_fp_isinf, command 1 of the launch: shape = NULL"),
            std::string::npos)
      << own.error();
}

}  // namespace
}  // namespace tputwin::tputest
