// Reads the recorded commands of the BM1684X and BM1684.
#include "common/recorded_commands.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "bmodel/bm168x/model.h"
#include "isa/streams/stream.h"

namespace tputwin::testing {

std::vector<uint8_t> from_hex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

namespace {

// Expands zN to N zero bytes; a comma ends zN if more follows.
std::string expanded(const std::string& text) {
  std::string hex;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != 'z') {
      hex += text[i];
      continue;
    }
    size_t end = i + 1;
    while (end < text.size() && text[end] != ',') ++end;
    hex += std::string(2 * std::stoul(text.substr(i + 1, end - i - 1)), '0');
    i = end;
  }
  return hex;
}

}  // namespace

std::vector<RecordedCommand> commands_of_calls(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const nlohmann::json set = nlohmann::json::parse(stream);
  std::vector<RecordedCommand> commands;
  for (const nlohmann::json& entry : set["commands"]) {  // "ENGINE:HEX"
    const std::string text = entry.get<std::string>();
    commands.push_back(
        {text[0] == '0' ? Engine::compute : Engine::dma, from_hex(expanded(text.substr(2)))});
  }
  return commands;
}

std::vector<RecordedCommand> single_commands(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<RecordedCommand> commands;
  for (std::string line; std::getline(stream, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    commands.push_back(
        {json["engine"] == "tiu" ? Engine::compute : Engine::dma, from_hex(json["command"])});
  }
  return commands;
}

namespace {

using Use = std::function<void(Engine, std::span<const uint8_t>)>;

void use_stream(Engine engine, std::span<const uint8_t> stream, const Use& use) {
  while (!stream.empty()) {
    const auto one = engine == Engine::dma ? isa::decode_gdma_command(stream, bm1684x())
                                           : isa::decode_tiu_command(stream, bm1684x());
    if (!one.ok() || one->is_end) return;
    use(engine, stream.first(one->bytes));
    stream = stream.subspan(one->bytes);
  }
}

void use_network(const std::filesystem::path& path, const Use& use) {
  const auto bytes = read_bytes(path.string());
  if (!bytes.ok()) return;
  const auto file = bmodel::bm168x::read(*bytes);
  if (!file.ok()) return;
  auto use_group = [&](const bmodel::bm168x::CmdGroupT& group) {
    use_stream(Engine::compute, file->bytes(group.binary_bdc), use);
    use_stream(Engine::dma, file->bytes(group.binary_gdma), use);
  };
  for (const auto& net : file->model.net)
    for (const auto& stage : net->parameter) {
      for (const auto& group : stage->cmd_group) use_group(*group);
      for (const auto& subnet : stage->sub_net)
        for (const auto& group : subnet->cmd_group) use_group(*group);
    }
}

}  // namespace

void for_each_recorded_command(const std::filesystem::path& conformance, const Use& use) {
  for (const char* set : {"public", "public2"})
    for (const auto& file : std::filesystem::directory_iterator(conformance / "tpu/commands" / set))
      for (const RecordedCommand& command : commands_of_calls(file.path()))
        use(command.engine, command.bytes);
  const auto folder = conformance / "bm168x/bm1684x";
  for (const RecordedCommand& command : single_commands(folder / "single-commands.jsonl"))
    use(command.engine, command.bytes);
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".bmodel") use_network(file.path(), use);
}

void for_each_bm1684_command(const std::filesystem::path& conformance, const Use& use) {
  // Zeros at the end may be omitted.
  constexpr size_t kBytes = 128;
  const auto use_case = [&](const nlohmann::json& recorded) {
    for (const nlohmann::json& command : recorded["commands"]) {
      std::vector<uint8_t> bytes = from_hex(command[1].get<std::string>());
      bytes.resize(kBytes);
      use(command[0] == 0 ? Engine::compute : Engine::dma, bytes);
    }
  };
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(conformance / "okk/commands")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    const auto cases = nlohmann::json::parse(file);
    for (const auto& recorded : cases["cases"]) use_case(recorded);
  }
  for (const auto& entry : std::filesystem::directory_iterator(conformance / "bm168x/bm1684")) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) use_case(nlohmann::json::parse(line));
  }
}

}  // namespace tputwin::testing
