if(SYNCLINE_HAVE_OTF2)
  syncline_fuzz_target(otf2_fuzz SOURCES otf2_fuzz.cc CORPUS otf2
    LINK syncline_read_otf2 syncline_match)
  target_compile_definitions(otf2_fuzz PRIVATE SYNCLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()
