// The table of operators.
#include <algorithm>

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {
namespace {

constexpr OperatorRow kRows[] = {
#define TW_ONNX(name, first, last, importer, folder, note) \
  {"", #name, first, last, import_##importer, fold_##folder, false},
#define TW_ONNX_EXPANDED(name, first, last, expander, note) \
  {"", #name, first, last, expand_##expander, fold_none, true},
#define TW_MICROSOFT(name, expander, note) \
  {kMicrosoft, #name, 1, 1, expand_##expander, fold_none, true},
#include "bmnet/onnx/operators.def"
    {kInternal, "Keep", 1, 1, import_keep, fold_none, false},
    {kInternal, "Drop", 1, 1, import_drop, fold_none, false},
    {kInternal, "Choose", 1, 1, import_choose, fold_none, false},
    {kInternal, "Real", 1, 1, import_real, fold_none, false},
    {kInternal, "Span", 1, 1, import_span, fold_none, false},
    {kInternal, "AsIntegers", 1, 1, import_as_integers, fold_none, false},
    {kInternal, "Function", 1, 1, import_function, fold_none, false},
    {kInternal, "Fill", 1, 1, import_fill, fold_none, false},
    {kInternal, "DeformableGather", 1, 1, import_deformable_gather, fold_none, false},
    {kInternal, "Cut", 1, 1, import_cut, fold_none, false},
};

}  // namespace

void import_none(Node& node) { node.refuse("operator", node.proto.op_type(), "of constants only"); }
ConstantPtr fold_none(const Node&) { return nullptr; }

const OperatorRow* find_operator(std::string_view domain, std::string_view name) {
  static const std::vector<OperatorRow> rows = [] {
    std::vector<OperatorRow> all(std::begin(kRows), std::end(kRows));
    for (OperatorRow& row : all) {
      if (row.import == import_none) row.import = nullptr;
      if (row.fold == fold_none) row.fold = nullptr;
    }
    return all;
  }();
  const auto found = std::ranges::find_if(
      rows, [&](const OperatorRow& row) { return row.domain == domain && row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace tputwin::net::onnx_reader
