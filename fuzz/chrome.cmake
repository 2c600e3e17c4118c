syncline_fuzz_target(chrome_fuzz SOURCES chrome_fuzz.cc CORPUS chrome
  LINK syncline_read_chrome syncline_write_chrome simdjson::simdjson)
