syncline_fuzz_target(spans_fuzz SOURCES spans_fuzz.cc CORPUS spans
  LINK syncline_read_spans syncline_write_spans)
