syncline_bench(load_bench SOURCES load_bench.cc LINK syncline_cli)
