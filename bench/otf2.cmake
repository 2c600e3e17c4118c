if(SYNCLINE_HAVE_OTF2)
  syncline_bench(otf2_bench SOURCES otf2_bench.cc LINK syncline_read_otf2 syncline_match)
  # The measure for bench/sync_otf2.sh.
  add_executable(otf2_read otf2_read.cc)
  set_source_files_properties(otf2_read.cc PROPERTIES COMPILE_OPTIONS -Wno-deprecated-declarations)
  target_link_libraries(otf2_read PRIVATE syncline_write_otf2)
endif()
