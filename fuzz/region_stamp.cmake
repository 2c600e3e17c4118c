syncline_fuzz_target(region_stamp_fuzz SOURCES region_stamp_fuzz.cc CORPUS region_stamp
  LINK syncline_measure)
