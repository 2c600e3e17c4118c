if(SYNCLINE_HAVE_OTF2)
  syncline_bench(otf2_bench SOURCES otf2_bench.cc LINK syncline_read_otf2 syncline_match)
endif()
