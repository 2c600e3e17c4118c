# Traces of clocks as they really are, for tools/clock_sweep.py.
add_library(clock_sweep_parts STATIC
  clock_sweep/network.cc clock_sweep/recording.cc clock_sweep/run_files.cc clock_sweep/scenario.cc
  clock_sweep/true_clock.cc)
target_include_directories(clock_sweep_parts PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/clock_sweep)
target_link_libraries(clock_sweep_parts PUBLIC syncline_options)
add_executable(clock_sweep clock_sweep/main.cc)
target_link_libraries(clock_sweep PRIVATE clock_sweep_parts)
syncline_test(clock_sweep_test SOURCES clock_sweep/clock_sweep_test.cc LINK
  clock_sweep_parts nlohmann_json::nlohmann_json)
