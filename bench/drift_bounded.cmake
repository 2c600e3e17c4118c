# What drift-bounded estimation costs as clocks and messages grow, as a table.
syncline_bench_program(drift_bounded_growth SOURCES drift_bounded_growth.cc LINK syncline_estimate)
