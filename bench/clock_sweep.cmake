# Traces of clocks as they really are, for tools/clock_sweep.py.
add_library(clock_sweep_parts STATIC EXCLUDE_FROM_ALL
  clock_sweep/network.cc clock_sweep/recording.cc clock_sweep/run_files.cc clock_sweep/scenario.cc
  clock_sweep/true_clock.cc)
syncline_unity(clock_sweep_parts)
target_include_directories(clock_sweep_parts PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/clock_sweep)
target_link_libraries(clock_sweep_parts PUBLIC syncline_options)
syncline_bench_program(clock_sweep SOURCES clock_sweep/main.cc LINK clock_sweep_parts)
# tools/clock_sweep_test.py runs it.
if(GTest_FOUND)
  set_target_properties(clock_sweep PROPERTIES EXCLUDE_FROM_ALL OFF)
endif()
syncline_test(clock_sweep_test SOURCES clock_sweep/clock_sweep_test.cc LINK
  clock_sweep_parts nlohmann_json::nlohmann_json)
