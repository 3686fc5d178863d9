# Compiler flags of our own build; users of the installed package never see them.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(tputwin_options INTERFACE)
target_compile_options(tputwin_options INTERFACE -Wall -Wextra
  # gcc 12 reports the missing fields of designated initialisers, which is their point
  -Wno-missing-field-initializers
  # fp32 follows the documented order of operations, unfused
  -ffp-contract=off)
if(TPUTWIN_WERROR)
  target_compile_options(tputwin_options INTERFACE -Werror)
endif()

if(TPUTWIN_SANITIZE)
  # gcc 12 sees uninitialised members in instrumented library code (std::regex)
  target_compile_options(tputwin_options INTERFACE -Wno-maybe-uninitialized)
  add_compile_options(-fsanitize=${TPUTWIN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TPUTWIN_SANITIZE})
  if(TPUTWIN_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(TPUTWIN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What a statically linked program names besides our archives.
set(TPUTWIN_STATIC_DEPENDENCIES fmt tbb dnnl hwy protobuf pthread dl stdc++ m)
