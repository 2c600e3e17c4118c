# The experiments of the logical clock's papers: writes docs/methods/logical-experiments.md.
add_library(experiments STATIC EXCLUDE_FROM_ALL
  experiments/grid.cc experiments/grid_section.cc experiments/offsets.cc experiments/page.cc
  experiments/recording.cc experiments/ticks.cc)
syncline_unity(experiments)
target_include_directories(experiments PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(experiments PUBLIC
  syncline_options syncline_logical syncline_simulate fmt::fmt)
syncline_bench_program(logical_experiments SOURCES experiments/main.cc LINK experiments)
syncline_test(logical_experiments_test SOURCES experiments/logical_experiments_test.cc
  LINK experiments)
