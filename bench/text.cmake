syncline_bench(text_bench SOURCES text_bench.cc
  LINK syncline_read_text syncline_match syncline_write_text)
