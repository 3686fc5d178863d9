// TW-MOD-04xx: the container of BM1684 and BM1684X.
#include "base/errors/bmodel.h"
#include "bmodel/samples168x.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

namespace samples168x = bmodel::bm168x::samples;
using bmodel::bm168x::Binary;
using bmodel::bm168x::ModelT;
using bmodel::bm168x::NetParameterT;

// Returns the error of a valid model after a change.
template <class Change>
Status validate_168x_after(Change change) {
  ModelT model = samples168x::model168x();
  change(model);
  return bmodel::bm168x::validate(model, samples168x::binary168x().size());
}

template <class Change>
Status stage_168x_after(Change change) {
  return validate_168x_after([&](ModelT& model) { change(*model.net[1]->parameter[0]); });
}

TW_TRIGGER(mod_frame, [] {
  auto file = samples168x::file168x();
  file[20] = 1;
  return bmodel::bm168x::read(file).status();
});
TW_TRIGGER(mod_tables, [] {
  auto file = samples168x::file168x();
  file[64] = 0xff;  // the offset of the root table
  return bmodel::bm168x::read(file).status();
});
TW_TRIGGER(mod_shared_tables, [] {
  // one tensor with a long name, referred to a hundred times
  flatbuffers::FlatBufferBuilder builder;
  const auto name = builder.CreateString(std::string(10'000, 'x'));
  const auto tensor = bmodel::bm168x::CreateTensor(builder, name);
  const auto tensors = builder.CreateVector(std::vector(100, tensor));
  const auto stage = bmodel::bm168x::CreateNetParameter(builder, tensors, tensors);
  const auto net =
      bmodel::bm168x::CreateNet(builder, name, 0, 0, builder.CreateVector(std::vector{stage}));
  FinishModelBuffer(builder, bmodel::bm168x::CreateModel(builder, name, name, name, name,
                                                         builder.CreateVector(std::vector{net})));
  std::vector<uint8_t> file(64);
  const uint32_t words[] = {0xff55aaee, 64, builder.GetSize(), 0};
  std::memcpy(file.data(), words, sizeof words);
  file.insert(file.end(), builder.GetBufferPointer(),
              builder.GetBufferPointer() + builder.GetSize());
  return bmodel::bm168x::read(file).status();
});
TW_TRIGGER(mod_old_container, [] {
  return validate_168x_after([](ModelT& model) { model.net[0]->parameter.clear(); });
});
TW_TRIGGER(mod_field_value,
           [] { return validate_168x_after([](ModelT& model) { model.chip = "BM1690"; }); });
TW_TRIGGER(mod_binary_range, [] {
  return stage_168x_after(
      [](NetParameterT& stage) { stage.net_profile = std::make_unique<Binary>(300, 30); });
});
TW_TRIGGER(mod_binary_overlap, [] {
  return stage_168x_after(
      [](NetParameterT& stage) { stage.net_profile = std::make_unique<Binary>(60, 30); });
});
TW_TRIGGER(mod_tensor_shape, [] {
  return stage_168x_after([](NetParameterT& stage) {
    stage.input_tensor[0]->shape[0]->dim = {1, 0, 3};
  });
});
TW_TRIGGER(mod_tensor_size, [] {
  return stage_168x_after([](NetParameterT& s) { s.input_tensor[0]->size = 100; });
});
TW_TRIGGER(mod_address,
           [] { return stage_168x_after([](NetParameterT& s) { s.ctx_addr = 0x1'0000'0020; }); });
TW_TRIGGER(mod_command_bytes,
           [] { return stage_168x_after([](NetParameterT& s) { s.cmd_group[0]->gdma_num = 9; }); });
TW_TRIGGER(mod_subnet_link, [] {
  return stage_168x_after([](NetParameterT& stage) { stage.sub_net[0]->next_subnet_ids = {7}; });
});

}  // namespace
}  // namespace tputwin::testing
