// Messages of the user's program: found in protobuf's registry, compared with ours.
#include "bmnet/caffe/program_messages.h"

#include <bmnet/tputwin_caffe.pb.h>

#include <set>

#include "base/errors/bmnet.h"

namespace tputwin::net {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

std::string number_of(const FieldDescriptor& field) {
  return field.full_name() + " = " + std::to_string(field.number());
}

// Appends fields with equal names and different numbers or kinds, in these messages and their
// submessages, to `differences`.
void compare(const Descriptor& ours, const Descriptor& theirs, std::set<std::string>& seen,
             std::string& differences) {
  if (!seen.insert(ours.full_name()).second) return;
  for (int i = 0; i < ours.field_count(); ++i) {
    const FieldDescriptor& our = *ours.field(i);
    const FieldDescriptor* their = theirs.FindFieldByName(our.name());
    if (their == nullptr) continue;
    const bool of_message = our.message_type() != nullptr;
    if (their->number() != our.number() || of_message != (their->message_type() != nullptr))
      differences += (differences.empty() ? "" : "; ") + number_of(*their) + ", here " +
                     std::to_string(our.number());
    else if (of_message)
      compare(*our.message_type(), *their->message_type(), seen, differences);
  }
}

const Descriptor* program_type() {
  return google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
      "bmnet.caffe.NetParameter");
}

}  // namespace

std::unique_ptr<google::protobuf::Message> program_net() {
  const Descriptor* type = program_type();
  if (type == nullptr) return nullptr;
  return std::unique_ptr<google::protobuf::Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

Status check_program_messages() {
  const Descriptor* type = program_type();
  if (type == nullptr) return {};
  std::set<std::string> seen;
  std::string differences;
  compare(*tputwin::caffe::NetParameter::descriptor(), *type, seen, differences);
  if (differences.empty()) return {};
  return Error(errors::net_custom_code)
      .in("bmnet_caffe.proto of the program")
      .detail("fields have other numbers than in BMNet's: " + differences);
}

}  // namespace tputwin::net
