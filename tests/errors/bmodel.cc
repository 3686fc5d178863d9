// TW-MOD: model containers.
#include <cmath>
#include <string>

#include "base/errors/bmodel.h"
#include "bmodel/containers.h"
#include "bmodel/message.h"
#include "bmodel/parts.h"
#include "bmodel/samples.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

using bmodel::Model;
namespace samples = bmodel::samples;

Status read_text(const std::string& file) {
  return bmodel::read({reinterpret_cast<const uint8_t*>(file.data()), file.size()}).status();
}

std::string v011_file() {
  auto bytes = *bmodel::write(samples::common(), bmodel::Container::v0_1_1);
  return {bytes.begin(), bytes.end()};
}

// Reads a valid 0.1.1 file with `from` replaced in its JSON text and the length adjusted.
Status read_replacing(const std::string& from, const std::string& to) {
  std::string file = v011_file();
  file.replace(file.find(from), from.size(), to);
  size_t json = file.rfind("]}\x55\xaa") + 2 - 4;
  for (int i = 0; i < 4; ++i) file[i] = static_cast<char>(json >> (8 * i));
  return read_text(file);
}

// Returns the error of a valid model after a change.
template <class Change>
Status validate_after(Change change) {
  Model model = samples::rich();
  change(model);
  return bmodel::validate(model);
}

TW_TRIGGER(mod_unknown_container, [] { return read_text("not a model"); });
TW_TRIGGER(mod_truncated, [] {
  std::string file = v011_file();
  return read_text(file.substr(0, file.size() - 1));
});
TW_TRIGGER(mod_magic, [] {
  std::string file = v011_file();
  file[file.rfind("]}\x55\xaa") + 2] = 'x';
  return read_text(file);
});
TW_TRIGGER(mod_trailing, [] { return read_text(v011_file() + "x"); });
TW_TRIGGER(mod_json, [] { return read_replacing("\"name\"", "\"name"); });
TW_TRIGGER(mod_message, [] { return bmodel::read_v21({}).status(); });

TW_TRIGGER(mod_field_missing, [] { return read_replacing("\"version\"", "\"vision\""); });
TW_TRIGGER(mod_field_type, [] { return read_replacing("\"0.1.1\"", "0.11"); });
TW_TRIGGER(mod_number, [] { return read_replacing("\"438\"", "\"4x8\""); });
TW_TRIGGER(mod_section_range, [] { return read_replacing("[\"0\", \"5\"]", "[\"1\", \"99\"]"); });
TW_TRIGGER(mod_section_overlap, [] { return read_replacing("[\"0\", \"5\"]", "[\"0\", \"20\"]"); });
TW_TRIGGER(mod_output_size,
           [] { return read_replacing("\"output_size\": \"6\"", "\"output_size\": \"7\""); });
TW_TRIGGER(mod_external_weight, [] {
  ::bmodel::Model message = bmodel::to_message(samples::rich());
  message.clear_weight();
  message.add_weight_info()->set_weight_offset(0);
  message.mutable_weight_info(0)->set_weight_length(1);
  return read_text(message.SerializeAsString());
});

TW_TRIGGER(mod_no_variety, [] { return validate_after([](Model& m) { m.varieties.clear(); }); });
TW_TRIGGER(mod_name, [] { return validate_after([](Model& m) { m.name.assign(1, '\xff'); }); });
TW_TRIGGER(mod_shape,
           [] { return validate_after([](Model& m) { m.varieties[0].inputs[0].shape[2] = 0; }); });
TW_TRIGGER(mod_format,
           [] { return validate_after([](Model& m) { m.varieties[0].outputs[0].fmt = 5; }); });
TW_TRIGGER(mod_threshold, [] {
  return validate_after([](Model& m) { m.varieties[0].inputs[0].threshold = NAN; });
});
TW_TRIGGER(mod_neuron_range, [] {
  return validate_after([](Model& m) { m.varieties[1].outputs[0].offset = UINT64_MAX - 1; });
});
TW_TRIGGER(mod_neuron_size, [] {
  return validate_after([](Model& m) { m.varieties[1].neuron_size = uint64_t{1} << 40; });
});
TW_TRIGGER(mod_weight_index,
           [] { return validate_after([](Model& m) { m.varieties[1].weight_index = 2; }); });
TW_TRIGGER(mod_layers,
           [] { return validate_after([](Model& m) { m.varieties[1].layers.runs[0].layer = 9; }); });

TW_TRIGGER(mod_inexpressible,
           [] { return bmodel::write(samples::rich(), bmodel::Container::v0_1_1).status(); });
TW_TRIGGER(mod_too_large, [] { return bmodel::write_v21(samples::rich(), 100).status(); });
TW_TRIGGER(mod_combine, [] {
  return bmodel::combine(std::vector{samples::common(), samples::common()}).status();
});

}  // namespace
}  // namespace tputwin::testing
