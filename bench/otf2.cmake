if(SYNCLINE_HAVE_OTF2)
  syncline_bench(otf2_bench SOURCES otf2_bench.cc LINK syncline_read_otf2 syncline_match)
  # The measure for bench/sync_otf2.sh.
  syncline_bench_program(otf2_read SOURCES otf2_read.cc LINK syncline_write_otf2)
  set_source_files_properties(otf2_read.cc PROPERTIES COMPILE_OPTIONS -Wno-deprecated-declarations)
endif()
