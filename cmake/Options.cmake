# Sets compiler flags of this build. Users of the installed package do not get them.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  # Paths below the sources are relative to the build folder, so that another checkout and `make
  # deb` can use the same cache entries.
  if(NOT DEFINED ENV{CCACHE_BASEDIR})
    set(ccache_base CCACHE_BASEDIR=${PROJECT_SOURCE_DIR})
  endif()
  # ccache's manual requires these for precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER env ${ccache_base}
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

# gcc collects garbage above 128 MB, which takes a tenth of the time of most files. The limit is
# higher if the host has enough memory.
cmake_host_system_information(RESULT TPUTWIN_MEMORY QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT TPUTWIN_CORES QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR TPUTWIN_MEMORY_EACH "${TPUTWIN_MEMORY} / ${TPUTWIN_CORES}")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND TPUTWIN_MEMORY_EACH GREATER 3000)  # MB
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1500000>)
endif()

# gold links programs in a seventh of the time. Libraries use the default linker.
find_program(TPUTWIN_GOLD ld.gold)
if(TPUTWIN_GOLD AND NOT CMAKE_CROSSCOMPILING AND NOT TPUTWIN_SANITIZE)
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=gold>)
endif()

# Most sources include these headers. They are compiled once; a source then takes half the time.
# CMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without them. The preset fuzz does so, which shows that
# every file includes what it uses.
set(TPUTWIN_PRECOMPILED <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <cstdlib> <cstring>
  <deque> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string>
  <string_view> <tuple> <utility> <variant> <vector> <fmt/format.h>)

# Compiles several files of a target as one, because most of a file's time is its shared headers.
# File-local names then share a scope; the compiler reports clashes. The preset fuzz compiles each
# file alone.
option(TPUTWIN_TOGETHER "Compile some folders as one file each" ON)
# Takes regular expressions of names. Files that match one expression are compiled as one file; the
# other files are compiled alone.
function(tputwin_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TPUTWIN_TOGETHER} UNITY_BUILD_BATCH_SIZE 6)
  if(NOT ARGN)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(names ${ARGN})
    set(group ${sources})
    list(FILTER group INCLUDE REGEX "/${names}[.]cc$")
    list(GET group 0 first)
    get_filename_component(first ${first} NAME_WE)
    set_source_files_properties(${group} PROPERTIES UNITY_GROUP ${first})
  endforeach()
endfunction()

# tputwin_versioned_library(NAME [CLOSED] [UNNUMBERED])
# Gives symbols versions: TPUTWIN_0 to those that programs use, TPUTWIN_PRIVATE_x.y.z to those that
# only tputwin's libraries use. So parts of two releases never mix. A CLOSED library exports its C
# functions only. All libraries use the same version names. A symbol that several of them define
# (inline functions, their statics) then exists once in a process. An UNNUMBERED library has a plain
# name without a number, because plugins inside bmodels of the vendor's compiler refer to it.
function(tputwin_versioned_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CLOSED;UNNUMBERED" "" "")
  if(arg_CLOSED)
    set(script "TPUTWIN_${PROJECT_VERSION_MAJOR} { global: [!_]*; local: *; };\n")
  else()
    set(script "TPUTWIN_PRIVATE_${PROJECT_VERSION} { global: _Z*7tputwin*; };
TPUTWIN_${PROJECT_VERSION_MAJOR} { global: _Z*7tputwin3api*; *; };\n")
  endif()
  set(path ${PROJECT_BINARY_DIR}/symbols/${name}.map)
  file(CONFIGURE OUTPUT ${path} CONTENT "${script}")
  target_link_options(${name} PRIVATE LINKER:--version-script=${path})
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${path})
  get_target_property(type ${name} TYPE)
  if(type STREQUAL SHARED_LIBRARY AND NOT arg_UNNUMBERED)
    set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  endif()
endfunction()

set(TPUTWIN_ARM FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(TPUTWIN_ARM TRUE)
endif()

add_library(tputwin_options INTERFACE)
target_compile_options(tputwin_options INTERFACE -Wall -Wextra
  # gcc 12 also reports designated initializers, which omit fields on purpose.
  -Wno-missing-field-initializers
  # fp32 follows the documented order of operations, without fused multiply-adds.
  -ffp-contract=off)
if(TPUTWIN_WERROR)
  target_compile_options(tputwin_options INTERFACE -Werror)
endif()

if(TPUTWIN_SANITIZE)
  # gcc 12 reports uninitialized members in instrumented library code (std::regex).
  target_compile_options(tputwin_options
    INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_compile_options(-fsanitize=${TPUTWIN_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TPUTWIN_SANITIZE})
  if(TPUTWIN_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(TPUTWIN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# A statically linked program also needs these libraries.
set(TPUTWIN_STATIC_DEPENDENCIES fmt tbb hwy dw elf protobuf z pthread dl stdc++ m)
if(TPUTWIN_ONEDNN)
  list(PREPEND TPUTWIN_STATIC_DEPENDENCIES dnnl)
endif()
