syncline_fuzz_target(logs_fuzz SOURCES logs_fuzz.cc CORPUS logs
  LINK syncline_match_rules syncline_read_logs syncline_write_logs)
