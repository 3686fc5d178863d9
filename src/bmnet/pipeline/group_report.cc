// The text of `--explain`, and the ends of the optimized net.
#include "bmnet/pipeline/group_report.h"

#include <fmt/format.h>

#include <iterator>

namespace tputwin::net {
namespace {

std::string_view kind_name(LocalBuffer::Kind kind) {
  switch (kind) {
    case LocalBuffer::Kind::input:
      return "load";
    case LocalBuffer::Kind::value:
      return "value";
    case LocalBuffer::Kind::weight:
      return "weight";
    case LocalBuffer::Kind::scratch:
      break;
  }
  return "scratch";
}

std::string extents_text(const Extents& e) {
  return fmt::format("({},{},{},{})", e.n, e.c, e.h, e.w);
}

}  // namespace

void explain_group(std::string& text, const Network& network, const PricedGroup& group) {
  auto out = std::back_inserter(text);
  const GroupSchedule& schedule = group.schedule;
  fmt::format_to(out, "group: predicted {} cycles, {} bytes between global and local memory\n",
                 group.cycles, group.global_bytes);
  fmt::format_to(out, "  {}\n", group.reason);
  for (const TiledKernel* k : schedule.kernels)
    fmt::format_to(out, "  {} {} {} -> {}{}\n", network.ops[k->op].type(), k->layer,
                   extents_text(k->inputs[0].e), extents_text(k->output.e),
                   k->do_relu ? " relu" : "");
  for (const LocalBuffer& i : schedule.buffers) {
    fmt::format_to(out, "    {:7} {:30} {:6} bytes, steps {:2} to {:2}, at", kind_name(i.kind),
                   i.name, i.bytes, i.first, i.last);
    for (uint32_t a : i.address) fmt::format_to(out, " {:#06x}", a);
    text += '\n';
  }
}

void explain_layer(std::string& text, const TensorOp& op, std::string_view how) {
  fmt::format_to(std::back_inserter(text), "layer: {} {} {}\n", op.type(), op.name(), how);
}

void explain_total(std::string& text, const Compiled& compiled) {
  fmt::format_to(std::back_inserter(text),
                 "total: {} instructions, predicted {} cycles with the launch, {} bytes between "
                 "global and local memory\n"
                 "       {} bytes of weights, {} bytes of neurons\n",
                 compiled.instructions, compiled.predicted_cycles, compiled.global_bytes,
                 compiled.weight.size(), compiled.neuron_size);
}

void frame(::bmnet::NetParameter& net, const Network& network, const Compiled& compiled) {
  net.set_name(network.name);
  net.set_weight_size(compiled.weight.size());
  ::bmnet::NetParameter whole;
  whole.set_name(net.name());
  whole.set_weight_size(net.weight_size());
  for (const bmodel::Input& input : compiled.inputs) {
    for (uint32_t d : input.shape) whole.add_input_dim(static_cast<int>(d));
  }
  for (const TensorOp& op : network.ops)
    if (is(op, Op::start)) {
      TensorOp* start = whole.add_layer();
      *start = op;
      start->mutable_start_param()->set_input_offset(compiled.tensor_offsets.at(op.top(0)));
    }
  for (const TensorOp& op : net.layer()) *whole.add_layer() = op;
  TensorOp* end = whole.add_layer();
  *end = network.ops.back();
  end->mutable_end_param()->set_output_offset(compiled.output_offset());
  end->mutable_end_param()->set_output_size(compiled.output_bytes());
  end->mutable_end_param()->set_total_neuron_size(compiled.neuron_size);
  net = std::move(whole);
}

}  // namespace tputwin::net
