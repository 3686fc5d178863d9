// TW-CLI: command line tools.
#include <string>
#include <vector>

#include "base/errors/tools.h"
#include "base/file.h"
#include "base/last_error.h"
#include "common/temporary_directory.h"
#include "errors/trigger.h"
#include "tools/bm168x/bmrt_test.h"
#include "tools/bm168x/npy.h"
#include "tools/bm168x/run168x.h"
#include "tools/bm168x/tensor_values.h"
#include "tools/campaign/checkpoint.h"
#include "tools/campaign/crew.h"
#include "tools/catalogue.h"
#include "tools/check.h"
#include "tools/command_line.h"
#include "tools/compare.h"
#include "tools/debug/debug.h"
#include "tools/disasm.h"
#include "tools/kernel.h"
#include "tools/lift/lift.h"
#include "tools/models.h"
#include "tools/record/record.h"
#include "tools/run.h"
#include "tools/selftest.h"
#include "tools/timing/board.h"
#include "tools/timing/whatif.h"
#include "tools/vision/detections.h"
#include "tools/vision/frames.h"

namespace tputwin::testing {
namespace {

std::vector<uint8_t> tiny_file() {
  return *bmodel::write(tools::models::tiny(), bmodel::Container::v2_1);
}

TW_TRIGGER(cli_debug, [] { return tools::debug_program({}, {"/no/program"}).status(); });
TW_TRIGGER(cli_check, [] { return tools::check_program({}, {"/no/program"}).status(); });
TW_TRIGGER(cli_timing, [] { return tools::read_board("/no/folder", "BM9999").status(); });
TW_TRIGGER(cli_whatif, [] {
  tools::WhatIfOptions options;
  options.clock = {-1};
  return tools::what_if(options, {"program"}).status();
});
TW_TRIGGER(cli_record, [] { return tools::record_program("recorded", {"/no/program"}).status(); });
TW_TRIGGER(cli_shape, [] {
  return tools::find_variety(tools::models::tiny(), {{1, 2, 3, 4}}).status();
});
TW_TRIGGER(cli_input_size, [] {
  std::vector<uint8_t> input(15);
  return tools::run_model(tiny_file(), input, {.shapes = {{1, 2, 2, 4}}}).status();
});
TW_TRIGGER(cli_input_number, [] {
  bmodel::bm168x::TensorT tensor;
  tensor.name = "x";
  tensor.data_type = static_cast<uint32_t>(bmodel::bm168x::ElementType::i8);
  tensor.shape.push_back(std::make_unique<bmodel::bm168x::ShapeT>());
  tensor.shape[0]->dim = {1};
  return tools::tensor_of({.kind = 'u', .element_bytes = 1, .shape = {1}, .bytes = {200}}, tensor)
      .status();
});
TW_TRIGGER(cli_compare_size, [] {
  std::vector<uint8_t> three(3), four(4);
  return tools::compare(three, four, tools::Element::int8).status();
});
TW_TRIGGER(cli_variety, [] { return tools::disassemble(tiny_file(), {.variety = 2}).status(); });
TW_TRIGGER(cli_unknown_error, [] { return tools::explain_error("TW-NONE-0000").status(); });
TW_TRIGGER(cli_usage, [] {
  return Status(
      tools::usage_error(CLI::App("", "tputwin"), "The following argument was not expected: x"));
});
TW_TRIGGER(cli_kernel_library, [] { return tools::load_kernels("no_such_library").status(); });
TW_TRIGGER(cli_kernel_parameters, [] { return tools::run_kernel("any", "{}").status(); });
TW_TRIGGER(cli_selftest_kind, [] { return tools::run_selftest({.only = "abacus"}).status(); });
TW_TRIGGER(cli_selftest_files, [] {
  return tools::run_selftest({.cases = 1, .isa = "reference", .prefix = "/nowhere"}).status();
});

const std::string kStages =
    TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x/nets-stages.bmodel";

TW_TRIGGER(cli_stage,
           [] { return tools::run_168x(*bmodel::open_file(kStages), {.stage = 9}).status(); });
TW_TRIGGER(cli_output, [] { return tools::check_array_file("out.npy", 2); });
TW_TRIGGER(cli_inputs, [] {
  return tools::run_168x(*bmodel::open_file(kStages),
                         {.stage = 0, .inputs = {kStages, kStages, kStages}})
      .status();
});
TW_TRIGGER(cli_option_of_chip, [] {
  return tools::refuse_options({{"--latency", true}}, "BM1684X");
});
TW_TRIGGER(cli_lift, []() -> Status {
  const auto file = bmodel::open_file(kStages);
  bmodel::bm168x::File dynamic{{}, file->bm168x()->binary};
  dynamic.model.chip = "BM1684X";
  dynamic.model.net.push_back(std::make_unique<bmodel::bm168x::NetT>());
  auto stage = std::make_unique<bmodel::bm168x::NetParameterT>();
  stage->is_dynamic = 1;
  dynamic.model.net[0]->parameter.push_back(std::move(stage));
  return lift::lift(dynamic, {}).status();
});
TW_TRIGGER(cli_bm168x, []() -> Status {
  const TemporaryDirectory directory;
  const std::string path = (directory / "compilation.bmodel").string();
  TW_RETURN_IF_ERROR(write_bytes(path, tiny_file()));
  return tools::test_directory(directory.path().string(), {}).status();
});
TW_TRIGGER(cli_picture, [] {
  const TemporaryDirectory directory;  // the folder has no pictures
  auto frames = tools::open_frames({directory.path().string()});
  return frames.ok() ? Status() : Status(frames.error());
});
TW_TRIGGER(cli_campaign, [] {
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  Status status = tools::find_crew("no-such-library.so").status();
  unsetenv("OMPI_COMM_WORLD_SIZE");
  return status;
});
TW_TRIGGER(cli_checkpoint, [] {
  const TemporaryDirectory directory;
  const std::string file = directory / "part";
  (void)write_bytes(file, std::vector<uint8_t>{'x', '\n'});
  return tools::Checkpoint::open(file, {.identity = "eval", .units = 3}).status();
});
TW_TRIGGER(cli_description, [] {
  tools::Description description;
  return tools::parse_description("[]", description);
});
TW_TRIGGER(cli_detections, [] {
  return tools::detect({}, 0, {1, 3, 8, 8}, {.kind = tools::DetectionKind::ssd}).status();
});
TW_TRIGGER(cli_npy, [] { return tools::read_npy({'P', 'K'}).status(); });
TW_TRIGGER(cli_runtime, [] {
  thread_diagnostics().clear();
  return Status(tools::runtime_error("bm_init"));
});

}  // namespace
}  // namespace tputwin::testing
