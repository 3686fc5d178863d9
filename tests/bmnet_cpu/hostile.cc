// Operators with random parameters on random shapes. Each must compute or refuse, and must not
// access other memory (the sanitizers check that).
#include <google/protobuf/descriptor.h>

#include <limits>
#include <random>

#include "base/errors/bmnet.h"
#include "bmnet_cpu/call.h"
#include "common/rng.h"

namespace tputwin::test {
namespace {

constexpr const char* kTypes[] = {
    "tg_tile", "tg_reverse", "tg_permute", "Permute0321", "ELU", "LeakyRelu",
#define TW_OP_HOST(name, ...) "tg_" #name,
#include "bmnet/ir/ops.def"
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  bool rarely() { return number(0, 19) == 0; }

  Shape shape() {
    Shape result;
    for (int64_t axes = number(1, 4); axes > 0; --axes)
      result.push_back(rarely() ? number(1, 40) : number(1, 6));
    return result;
  }

  Floats values(const Shape& shape) {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    Floats result(static_cast<size_t>(count));
    for (float& v : result) v = real();
    return result;
  }

  float real() {
    constexpr float kOdd[] = {NAN, INFINITY, -INFINITY, 0, -1, 3e38F, 1e-40F};
    if (rarely()) return kOdd[number(0, 6)];
    return static_cast<float>(number(-4000, 4000)) / 1000;
  }

  int32_t integer() {
    constexpr int32_t kOdd[] = {std::numeric_limits<int32_t>::max(),
                                std::numeric_limits<int32_t>::min(), -1, 1 << 30};
    return rarely() ? kOdd[number(0, 3)] : static_cast<int32_t>(number(0, 4));
  }

  // Sets some fields of the message.
  void fill(google::protobuf::Message& message) {
    const auto* reflection = message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const auto* field = message.GetDescriptor()->field(i);
      const int times = static_cast<int>(field->is_repeated() ? number(0, 4) : number(0, 1));
      for (int k = 0; k < times; ++k) set(message, *reflection, field);
    }
  }

 private:
  using Field = google::protobuf::FieldDescriptor;

#define TW_SET(type, value) \
  (field->is_repeated() ? r.Add##type(&m, field, (value)) : r.Set##type(&m, field, (value)))
  void set(google::protobuf::Message& m, const google::protobuf::Reflection& r,
           const Field* field) {
    switch (field->cpp_type()) {
      case Field::CPPTYPE_INT32:
        return TW_SET(Int32, integer());
      case Field::CPPTYPE_UINT32:
        return TW_SET(UInt32, static_cast<uint32_t>(integer()));
      case Field::CPPTYPE_FLOAT:
        return TW_SET(Float, real());
      case Field::CPPTYPE_BOOL:
        return TW_SET(Bool, number(0, 1) == 1);
      default:
        return;
    }
  }
#undef TW_SET

  std::mt19937_64 random_;
};

// The message NAME_param of an op of type NAME, if there is one.
void fill_parameters(Generator& generator, bmnet::LayerParameter& op) {
  const auto* field = op.GetDescriptor()->FindFieldByName(op.type() + "_param");
  if (field != nullptr) generator.fill(*op.GetReflection()->MutableMessage(&op, field));
}

TEST(Hostile, RandomCallsComputeOrAreRefused) {
  const testing::RandomCases cases(20000);
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    Generator generator(cases.seed << 32 | index);
    CpuCall call(kTypes[index % std::size(kTypes)]);
    fill_parameters(generator, call.op);
    for (int64_t inputs = generator.number(0, 3); inputs > 0; --inputs) {
      const Shape shape = generator.shape();
      call.input(shape, generator.values(shape));
    }
    const bool same = !call.inputs.empty() && generator.number(0, 1) == 0;
    call.output(same ? call.inputs[0].first : generator.shape());
    const Status status = call.status();
    if (!status.ok()) {
      ASSERT_EQ(status.error().id(), errors::net_cpu_shape);
    }
  }
}

}  // namespace
}  // namespace tputwin::test
