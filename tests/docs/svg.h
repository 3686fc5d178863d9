// Drawings of the documentation. They are light or dark like the reader's system; embedded in a
// page, like the page (site/theme.css).
#pragma once

#include <string>
#include <string_view>

namespace tputwin::docs {

class Svg {
 public:
  // `style`: a class of svg.cc.
  void box(double x, double y, double width, double height, std::string_view style);
  void line(double x0, double y0, double x1, double y1, std::string_view style);
  void text(double x, double y, std::string_view text, std::string_view style);

  // Returns the file. `title` is the text for screen readers.
  std::string finish(std::string_view title) const;

 private:
  void reach(double x, double y);

  double width_ = 0, height_ = 0;
  std::string body_;
};

// Compares docs/layouts/NAME.svg with a drawing; TPUTWIN_REBASE=1 writes it.
void expect_drawing(std::string_view name, const std::string& drawing);

}  // namespace tputwin::docs
