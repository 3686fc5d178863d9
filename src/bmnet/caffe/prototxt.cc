// Conversion of prototxt to messages and back.
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <climits>
#include <map>
#include <memory>

#include "base/errors/bmnet.h"
#include "base/last_error.h"
#include "bmnet/caffe/caffe_net.h"
#include "bmnet/caffe/program_messages.h"
#include "bmnet/caffe/upgrade.h"

namespace tputwin::net {
namespace {

constexpr size_t kShownProblems = 50;
constexpr int kNesting = 40;  // NetParameter needs six

// Returns true for fields of forks that describe training data, or the vendor's own quantization.
bool is_ignored(std::string_view field) {
  static constexpr std::string_view kFields[] = {
      "annotated_data_param", "data_type_size", "distort_param", "emit_constraint",
      "enable_quantize",      "expand_param",   "noise_param",   "resize_param"};
  return std::find(std::begin(kFields), std::end(kFields), field) != std::end(kFields);
}

// Errors stop the parser. Warnings of unknown fields do not stop it, but are problems, too. Fields
// without meaning for a net in use, and fields of layers that it does not need, are only ignored.
using google::protobuf::Descriptor;
using Locations = google::protobuf::TextFormat::ParseInfoTree;

class Problems : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    ++count_;
    if (count_ > kShownProblems) return;
    if (!text_.empty()) text_ += '\n';
    if (line >= 0) text_ += std::to_string(line + 1) + ":" + std::to_string(column + 1) + ": ";
    text_ += message;
  }
  void AddWarning(int line, google::protobuf::io::ColumnNumber column,
                  const std::string& message) override {
    static constexpr std::string_view kUnknown = "has no field named \"";
    const size_t at = message.find(kUnknown);
    if (at == std::string::npos) return;
    const size_t begin = at + kUnknown.size(), end = message.find('"', begin);
    const std::string field = message.substr(begin, end - begin);
    if (is_ignored(field))
      ignored_[field].push_back(line + 1);
    else
      unknown_.push_back({line, column, field, message});
  }

  // Decides which of the unknown fields are problems, once the net is known.
  void judge(const caffe::NetParameter& net, const Descriptor& type, const Locations& locations) {
    const bool oldest = std::ranges::any_of(unknown_, [](const Unknown& u) {
      return u.field == "layer" && u.message.find("V1LayerParameter") != std::string::npos;
    });
    if (oldest)
      return AddError(-1, 0,
                      "layers { layer { ... } } is the oldest form of Caffe's nets, version 0; "
                      "Caffe's tool upgrade_net_proto_text makes today's form of it");
    for (const Unknown& u : unknown_)
      if (is_of_dropped_layer(net, type, locations, u))
        ignored_[u.field].push_back(u.line + 1);
      else
        AddError(u.line, static_cast<google::protobuf::io::ColumnNumber>(u.column), u.message);
  }

  bool any() const { return count_ > 0; }
  std::string text() const {
    if (count_ <= kShownProblems) return text_;
    return text_ + "\nand " + std::to_string(count_ - kShownProblems) + " more";
  }

  // Reports a warning for each kind of ignored field.
  Status report_ignored() const {
    for (const auto& [field, lines] : ignored_) {
      std::string where = "line " + std::to_string(lines.front());
      if (lines.size() > 1) where += " and " + std::to_string(lines.size() - 1) + " more";
      TW_RETURN_IF_ERROR(
          report(Error(errors::net_ignored_field).in("read_prototxt, " + field).detail(where)));
    }
    return {};
  }

 private:
  struct Unknown {
    int line, column;
    std::string field, message;
  };

  static bool is_of_dropped_layer(const caffe::NetParameter& net, const Descriptor& type,
                                  const Locations& locations, const Unknown& unknown) {
    const auto contains = [&](const char* list, int index) {
      const auto range = locations.GetLocationRange(type.FindFieldByName(list), index);
      const auto before = [](const auto& a, const auto& b) {
        return a.line < b.line || (a.line == b.line && a.column <= b.column);
      };
      const google::protobuf::TextFormat::ParseLocation at(unknown.line, unknown.column);
      return before(range.start, at) && before(at, range.end);
    };
    for (int i = 0; i < net.layer_size(); ++i)
      if (contains("layer", i)) return !is_needed(net.state(), net.layer(i));
    for (int i = 0; i < net.layers_size(); ++i) {
      if (!contains("layers", i)) continue;
      caffe::NetParameter one;
      *one.add_layers() = net.layers(i);
      return upgrade(one).ok() && !is_needed(net.state(), one.layer(0));
    }
    return false;
  }

  size_t count_ = 0;
  std::vector<Unknown> unknown_;
  std::string text_;
  std::map<std::string, std::vector<int>> ignored_;  // lines, by field
};

// Returns the depth of brackets outside strings and comments. The parser recurses into them, also
// for unknown fields.
int deepest_nesting(std::string_view text) {
  int depth = 0, deepest = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote || c == '\n') quote = 0;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '<' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == '>' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

Error malformed(std::string detail) {
  return Error(errors::net_prototxt).in("read_prototxt").detail(std::move(detail));
}

bool parse(std::string_view text, Problems& problems, google::protobuf::Message& net,
           Locations* locations = nullptr) {
  google::protobuf::TextFormat::Parser parser;
  parser.WriteLocationsTo(locations);
  parser.AllowUnknownField(true);
  // The layers' importers check required fields.
  parser.AllowPartialMessage(true);
  parser.RecordErrorsTo(&problems);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  return parser.Parse(&stream, &net);
}

// Parses text with the program's messages. Fields that only they have are for the program's
// customized layers. Our messages keep them as unknown fields, and the program gets them back with
// a layer.
bool parse_as_program(std::string_view text, Problems& problems, caffe::NetParameter& net) {
  const std::unique_ptr<google::protobuf::Message> message = program_net();
  if (message == nullptr || !check_program_messages().ok()) return false;
  Locations locations;
  if (!parse(text, problems, *message, &locations)) return false;
  caffe::NetParameter read;
  if (!read.ParsePartialFromString(message->SerializePartialAsString())) return false;
  problems.judge(read, *message->GetDescriptor(), locations);
  if (problems.any()) return false;
  net = std::move(read);
  return true;
}

}  // namespace

Result<caffe::NetParameter> read_prototxt(std::string_view text) {
  if (text.size() > INT_MAX) return malformed("the text has more than 2^31 bytes");
  if (deepest_nesting(text) > kNesting) return malformed("brackets are nested too deeply");
  Problems problems, of_program;
  caffe::NetParameter net;
  Locations locations;
  const bool parsed = parse(text, problems, net, &locations);
  problems.judge(net, *net.GetDescriptor(), locations);
  const bool by_program = problems.any() && parse_as_program(text, of_program, net);
  if (problems.any() && !by_program) return malformed(problems.text());
  if (!parsed && !by_program) return malformed("the parser gives no reason");
  TW_RETURN_IF_ERROR((by_program ? of_program : problems).report_ignored());
  TW_RETURN_IF_ERROR(upgrade(net));
  return net;
}

std::string to_prototxt(const caffe::NetParameter& net) {
  caffe::NetParameter graph;
  if (net.has_name()) graph.set_name(net.name());
  for (const caffe::LayerParameter& layer : net.layer()) {
    caffe::LayerParameter* copy = graph.add_layer();
    copy->CopyFrom(layer);
    copy->clear_blobs();
  }
  std::string text;
  google::protobuf::TextFormat::PrintToString(graph, &text);
  return text;
}

}  // namespace tputwin::net
