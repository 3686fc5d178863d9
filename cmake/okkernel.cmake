# tputwin_okkernel(NAME DEVICE a.c b.c ... [HOST main.cpp ...]): builds a program from OKKernel
# sources: kernels (C99) and a host part (C++11). Without HOST, builds a shared library of the
# kernels, for `tputwin kernel`.
function(tputwin_okkernel name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEVICE;HOST")
  if(NOT arg_DEVICE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tputwin_okkernel(NAME DEVICE sources... [HOST sources...])")
  endif()
  if(arg_HOST)
    add_executable(${name} ${arg_DEVICE} ${arg_HOST})
  else()
    add_library(${name} MODULE ${arg_DEVICE})
    set_target_properties(${name} PROPERTIES PREFIX "")
  endif()
  set_target_properties(${name} PROPERTIES C_STANDARD 99 CXX_STANDARD 11)
  target_compile_definitions(${name} PRIVATE USING_CMODEL)
  target_compile_options(${name} PRIVATE -fno-strict-aliasing
    # Programs call functions inside assert(), which must also run in release builds.
    $<$<NOT:$<CONFIG:Debug>>:-UNDEBUG>)
  target_link_libraries(${name} PRIVATE tputwin::bmlib tputwin::tputwin m)
endfunction()
