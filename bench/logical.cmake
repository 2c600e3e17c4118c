syncline_bench(logical_bench SOURCES logical_bench.cc LINK syncline_logical)
