// Session168x: opens a device of the file's chip and runs nets on it.
#include "tools/bm168x/session168x.h"

#include <chrono>

#include "machine/command_group.h"
#include "sdk/bmrt/launch.h"

namespace tputwin::tools {

Result<std::unique_ptr<Session168x>> Session168x::open(const bmodel::OpenFile& file) {
  bmlib::use_chip(*chip_of(file.bm168x()->model));
  TW_ASSIGN_OR_RETURN(card, bmlib::Card::open(0));
  return open(file, std::move(card));
}

Result<std::unique_ptr<Session168x>> Session168x::open(const bmodel::OpenFile& file,
                                                       std::shared_ptr<bmlib::Card> card,
                                                       const std::string& host_libraries) {
  std::unique_ptr<Session168x> session(new Session168x);
  session->handle_ = bmlib::open_handle(std::move(card));
  TW_RETURN_IF_ERROR(session->load(file, host_libraries));
  return session;
}

Status Session168x::load(const bmodel::OpenFile& file, const std::string& host_libraries) {
  TW_ASSIGN_OR_RETURN(runtime, bmrt::Runtime::create({handle_}));
  runtime_ = std::move(runtime);
  runtime_->use_host_libraries(host_libraries);
  return runtime_->load("bmrt_load_bmodel", file.file);
}

Session168x::~Session168x() {
  runtime_.reset();
  if (handle_ != nullptr) static_cast<void>(bmlib::close_handle(handle_));
}

void Session168x::watch(Observer* observer) {
  runtime_->card().watch(observer_, observer);
  observer_ = observer;
}

Result<Session168x::Buffers> Session168x::infer(const std::string& name, size_t index,
                                                const Buffers& inputs,
                                                std::vector<bm_shape_t>* shapes) {
  Buffers outputs;
  TW_RETURN_IF_ERROR(infer(name, index, inputs, outputs, shapes));
  return outputs;
}

Status Session168x::infer(const std::string& name, size_t index, const Buffers& inputs,
                          Buffers& outputs, std::vector<bm_shape_t>* shapes) {
  TW_ASSIGN_OR_RETURN(net, runtime_->find(name.c_str()));
  bmrt::Stage& stage = *net->stages().at(index);
  std::vector<bmrt::UserTensor> in, out;
  for (const auto& bytes : inputs) in.push_back({const_cast<uint8_t*>(bytes.data())});
  outputs.resize(stage.outputs().size());
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i].resize(stage.outputs()[i].bytes(BM_STORE_1N));
  for (auto& bytes : outputs) out.push_back({bytes.data()});
  if (shapes != nullptr) {
    shapes->clear();
    for (const bmrt::StageTensor& tensor : stage.outputs()) shapes->push_back(tensor.shape);
  }
  return bmlib::launch_sync(handle_, make_launch(*net, stage, in, out, shapes));
}

Result<std::vector<Instruction>> Session168x::program(const std::string& name, size_t index) {
  TW_ASSIGN_OR_RETURN(net, runtime_->find(name.c_str()));
  TW_ASSIGN_OR_RETURN(groups, net->stages().at(index)->groups());
  std::vector<Instruction> program;
  for (const auto& group : *groups) {
    const auto instructions = group->instructions();
    program.insert(program.end(), instructions.begin(), instructions.end());
  }
  return program;
}

Result<std::vector<double>> Session168x::subnet_seconds(const std::string& name, size_t index) {
  using Clock = std::chrono::steady_clock;
  TW_ASSIGN_OR_RETURN(net, runtime_->find(name.c_str()));
  bmrt::Stage& stage = *net->stages().at(index);
  TW_ASSIGN_OR_RETURN(groups, stage.groups());
  std::vector<double> seconds;
  auto launch = std::make_shared<bmlib::Launch>();
  launch->name = name;
  launch->run = [&](Device& device) {
    auto group = groups->begin();
    for (const size_t count : stage.subnet_sizes()) {
      const auto start = Clock::now();
      for (size_t i = 0; i < count; ++i, ++group)
        if (Status status = run_command_group(device, **group); !status.ok())
          return okk::Outcome{.error = status.error()};
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    return okk::Outcome{};
  };
  TW_RETURN_IF_ERROR(bmlib::launch_sync(handle_, launch));
  return seconds;
}

Result<std::vector<uint8_t>> Session168x::neurons(const std::string& name, size_t index) {
  TW_ASSIGN_OR_RETURN(net, runtime_->find(name.c_str()));
  const auto neurons = net->stages().at(index)->memory().neurons();
  bmlib::Card& card = runtime_->card();
  return card.exclusively([&] {
    const uint8_t* from = card.memory() + (neurons.address - card.chip().global_base);
    return std::vector<uint8_t>(from, from + neurons.bytes);
  });
}

}  // namespace tputwin::tools
