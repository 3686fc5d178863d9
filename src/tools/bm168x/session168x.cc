// Opens a device of the file's chip and runs nets on it.
#include "tools/bm168x/session168x.h"

#include "sdk/bmrt/launch.h"

namespace tputwin::tools {

Result<std::unique_ptr<Session168x>> Session168x::open(const bmodel::OpenFile& file) {
  std::unique_ptr<Session168x> session(new Session168x);
  bmlib::use_chip(*chip_of(file.bm168x()->model));
  TW_ASSIGN_OR_RETURN(handle, bmlib::open_handle(0));
  session->handle_ = handle;
  TW_ASSIGN_OR_RETURN(runtime, bmrt::Runtime::create({handle}));
  session->runtime_ = std::move(runtime);
  TW_RETURN_IF_ERROR(session->runtime_->load("bmrt_load_bmodel", file.file));
  return session;
}

Session168x::~Session168x() {
  runtime_.reset();
  if (handle_ != nullptr) static_cast<void>(bmlib::close_handle(handle_));
}

Result<Session168x::Buffers> Session168x::infer(const std::string& name, size_t index,
                                                const Buffers& inputs,
                                                std::vector<bm_shape_t>* shapes) {
  TW_ASSIGN_OR_RETURN(net, runtime_->find(name.c_str()));
  bmrt::Stage& stage = *net->stages().at(index);
  std::vector<bmrt::UserTensor> in, out;
  for (const auto& bytes : inputs) in.push_back({const_cast<uint8_t*>(bytes.data())});
  Buffers outputs;
  for (const bmrt::StageTensor& tensor : stage.outputs())
    outputs.emplace_back(tensor.bytes(BM_STORE_1N));
  for (auto& bytes : outputs) out.push_back({bytes.data()});
  if (shapes != nullptr) {
    shapes->clear();
    for (const bmrt::StageTensor& tensor : stage.outputs()) shapes->push_back(tensor.shape);
  }
  TW_RETURN_IF_ERROR(bmlib::launch_sync(handle_, make_launch(*net, stage, in, out, shapes)));
  return outputs;
}

}  // namespace tputwin::tools
