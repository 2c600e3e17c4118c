# What drift-bounded estimation costs as clocks and messages grow, as a table.
add_executable(drift_bounded_growth drift_bounded_growth.cc)
target_link_libraries(drift_bounded_growth PRIVATE syncline_options syncline_estimate)
