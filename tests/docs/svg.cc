// Boxes, lines and text as SVG.
#include "docs/svg.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "docs/text.h"

namespace tputwin::docs {
namespace {

// The colours f0 to f5 also differ in lightness, so that colour-blind readers can distinguish them.
constexpr std::string_view kStyle = R"(<style>
.tw{--ink:#1f2328;--soft:#59636e;--edge:#8c959f;--faint:#d1d9e0;--f0:#cfe3ff;--f1:#ffe2a8;--f2:#c9efd0;--f3:#f6cfe3;--f4:#dccffb;--f5:#e4e8ec;
font-family:ui-sans-serif,system-ui,"DejaVu Sans",sans-serif}
@media (prefers-color-scheme:dark){.tw{--ink:#f0f3f6;--soft:#b0b8c1;--edge:#7d8590;--faint:#3d444d;--f0:#1f4a80;--f1:#745000;--f2:#1d5c33;--f3:#7a2f57;--f4:#4c3596;--f5:#353c45}}
.tw text{fill:var(--ink);font-size:11px}.tw .head{font-size:13px;font-weight:600}.tw .soft{fill:var(--soft);font-size:10px}
.tw .mid{text-anchor:middle}.tw .end{text-anchor:end}.tw .tiny{font-size:9.5px;text-anchor:middle}
.tw .none{fill:none;stroke:var(--faint);stroke-dasharray:2 2}.tw .frame{fill:none;stroke:var(--edge)}
.tw .wire{stroke:var(--edge);stroke-width:1.5}.tw .cell{fill:none;stroke:var(--ink);stroke-width:1.6}
.tw .f0,.tw .f1,.tw .f2,.tw .f3,.tw .f4,.tw .f5{stroke:var(--edge);stroke-width:.8}
.tw .f0{fill:var(--f0)}.tw .f1{fill:var(--f1)}.tw .f2{fill:var(--f2)}.tw .f3{fill:var(--f3)}.tw .f4{fill:var(--f4)}.tw .f5{fill:var(--f5)}
</style>
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

}  // namespace

void Svg::reach(double x, double y) {
  width_ = std::max(width_, x);
  height_ = std::max(height_, y);
}

void Svg::box(double x, double y, double width, double height, std::string_view style) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>\n", x, y,
                       width, height, style);
  reach(x + width, y + height);
}

void Svg::line(double x0, double y0, double x1, double y1, std::string_view style) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", x0, y0, x1,
                       y1, style);
  reach(std::max(x0, x1), std::max(y0, y1));
}

void Svg::text(double x, double y, std::string_view text, std::string_view style) {
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, style, escaped(text));
  const double width = (style == "head" ? 8.0 : 6.6) * static_cast<double>(text.size());  // about
  const bool centred = style.find("mid") != std::string_view::npos || style == "tiny";
  reach(style.find("end") != std::string_view::npos ? x : x + (centred ? width / 2 : width), y + 4);
}

std::string Svg::finish(std::string_view title) const {
  const double width = width_ + 8, height = height_ + 8;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tw\" viewBox=\"0 0 {} {}\" width=\"{}\" "
      "height=\"{}\" role=\"img\">\n<title>{}</title>\n{}{}</svg>\n",
      width, height, width, height, escaped(title), kStyle, body_);
}

void expect_drawing(std::string_view name, const std::string& drawing) {
  const std::filesystem::path path = source_dir() / "docs/layouts" / fmt::format("{}.svg", name);
  if (std::getenv("TPUTWIN_REBASE") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << drawing;
  }
  EXPECT_TRUE(read_text(path) == drawing)
      << path << " is not what is drawn: TPUTWIN_REBASE=1 build/bin/test_docs";
}

}  // namespace tputwin::docs
