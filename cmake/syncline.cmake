# Build rules shared by all folders.

# The library is shared: its parts are compiled for that, and show only what its headers name.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_library(syncline_options INTERFACE)
target_compile_options(syncline_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wno-sign-conversion -Wno-missing-field-initializers -pthread
  # GCC bug 105651: false positives in std::string concatenation.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  -Werror=return-type -Werror=switch)
target_include_directories(syncline_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
if(SYNCLINE_SANITIZE)
  target_compile_options(syncline_options INTERFACE -fsanitize=${SYNCLINE_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer
    # The address sanitizer finds these by itself; checking them before each access costs a quarter of compiling.
    -fno-sanitize=null,object-size)
  target_compile_definitions(syncline_options INTERFACE SYNCLINE_SANITIZED)
  # There are a hundred programs to link.
  find_program(SYNCLINE_QUICK_LINKER NAMES ld.lld-14 ld.lld)
  if(SYNCLINE_QUICK_LINKER)
    target_link_options(syncline_options INTERFACE -fuse-ld=lld)
  endif()
  # At a fixed place, programs start sooner: they need not be relocated.
  target_link_options(syncline_options INTERFACE -fsanitize=${SYNCLINE_SANITIZE}
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
endif()
if(SYNCLINE_FUZZ)
  target_compile_options(syncline_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# syncline_unity(TARGET): with SYNCLINE_UNITY the target's sources of one folder are compiled as one. Their
# unnamed namespaces are then one too. Sources with compile options of their own stay alone.
function(syncline_unity target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    # Of a generator expression, what it yields.
    string(REGEX REPLACE "^\\$<.*:(.*)>$" "\\1" source "${source}")
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE folder)
    cmake_path(GET folder PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# syncline_precompile(TARGET KIND FLAGS...): with SYNCLINE_UNITY the headers that most sources include are
# compiled once for all targets of a kind, whose compile options are those of syncline_options and the flags.
function(syncline_precompile target kind)
  if(NOT SYNCLINE_UNITY)
    return()
  endif()
  set(owner syncline_precompiled_${kind})
  if(NOT TARGET ${owner})
    # Written where it differs only: to touch it would have all be compiled again.
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cc CONTENT "// For the headers compiled with it.\n")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
    target_link_libraries(${owner} PRIVATE syncline_options)
    target_compile_options(${owner} PRIVATE ${ARGN})
    target_precompile_headers(${owner} PRIVATE <algorithm> <array> <compare> <cstdint> <cstdio> <cstdlib> <cstring>
      <functional> <limits> <map> <memory> <optional> <span> <string> <string_view> <utility> <variant> <vector>
      <absl/container/flat_hash_map.h> <tl/expected.hpp>)
    if(kind STREQUAL "test")
      target_link_libraries(${owner} PRIVATE GTest::gmock)
      target_precompile_headers(${owner} PRIVATE <filesystem> <fstream> <random> <gmock/gmock.h> <gtest/gtest.h>)
    else()
      target_link_libraries(${owner} PRIVATE fmt::fmt)
      target_precompile_headers(${owner} PRIVATE <fmt/format.h>)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# syncline_library(NAME SOURCES a.cc ... [TESTS a_test.cc ...] [LINK libs ...] [TEST_LINK libs ...])
# One static library of a folder, and one test program for the tests beside its sources.
function(syncline_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;LINK;TEST_LINK" ${ARGN})
  add_library(syncline_${name} STATIC ${ARG_SOURCES})
  syncline_unity(syncline_${name})
  # Where sanitizers look, what tests do not spend most of their time in has to compile quickly.
  if(SYNCLINE_SANITIZE AND NOT name MATCHES "^(base|estimate|logical|match|measure|read_spans|simulate)")
    target_compile_options(syncline_${name} PRIVATE -O0)
    syncline_precompile(syncline_${name} quick_library -O0)
  else()
    syncline_precompile(syncline_${name} library)
  endif()
  target_link_libraries(syncline_${name} PUBLIC syncline_options ${ARG_LINK})
  if(ARG_TESTS)
    syncline_test(${name}_test SOURCES ${ARG_TESTS} LINK syncline_${name} ${ARG_TEST_LINK})
  endif()
endfunction()

# syncline_test(NAME SOURCES a_test.cc ... LINK libs ...): a GoogleTest program, one ctest per test.
# Without GoogleTest it is a target that is never built.
function(syncline_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  syncline_unity(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_compile_definitions(${name} PRIVATE
    SYNCLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SYNCLINE_DATA_DIR="${SYNCLINE_DATA}")
  # What is looked at is the program; its tests only have to compile quickly.
  set(quickly -O0)
  if(SYNCLINE_SANITIZE)
    list(APPEND quickly -g0)
  endif()
  target_compile_options(${name} PRIVATE ${quickly})
  if(NOT GTest_FOUND)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  target_link_libraries(${name} PRIVATE syncline_test_main)
  syncline_precompile(${name} test ${quickly} -fPIE)
  if(SYNCLINE_SANITIZE)
    # To begin a program with sanitizers takes longer than most tests: one ctest runs a sixth of them.
    set(parts 6)
    math(EXPR last "${parts} - 1")
    foreach(part RANGE ${last})
      add_test(NAME ${name}.${part} COMMAND ${name} --gtest_brief=1)
      set_tests_properties(${name}.${part} PROPERTIES TIMEOUT 900
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part}")
    endforeach()
    return()
  endif()
  # Parameters are named by their number: printed, many would be bytes with addresses in them.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES TIMEOUT 300)
endfunction()
include(GoogleTest)
