# Writes a C++ function that returns a text:
#   cmake -DINPUT=page.html -DOUTPUT=page.cc -DHEADER=dir/page.h -DNAMESPACE=n -DFUNCTION=f
#     -P embed.cmake
# The text is split into literals of a length that every compiler accepts.
file(READ ${INPUT} text)
set(literals)
string(LENGTH "${text}" left)
set(at 0)
while(at LESS left)
  string(SUBSTRING "${text}" ${at} 16000 part)
  string(APPEND literals "    R\"tw_text(${part})tw_text\",\n")
  math(EXPR at "${at} + 16000")
endwhile()
get_filename_component(name ${INPUT} NAME)
file(WRITE ${OUTPUT} "// Contains ${name}. cmake/embed.cmake generated this file.
#include \"${HEADER}\"

#include <string_view>

namespace ${NAMESPACE} {

std::string ${FUNCTION}() {
  static constexpr std::string_view kParts[] = {
${literals}  };
  std::string text;
  for (const std::string_view part : kParts) text += part;
  return text;
}

}  // namespace ${NAMESPACE}
")
