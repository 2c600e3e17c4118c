syncline_fuzz_target(compression_fuzz SOURCES compression_fuzz.cc CORPUS compression
  LINK syncline_base)
