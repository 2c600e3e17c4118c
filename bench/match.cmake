syncline_bench(match_bench SOURCES match_bench.cc LINK syncline_match)
