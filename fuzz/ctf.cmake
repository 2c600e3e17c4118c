if(SYNCLINE_HAVE_CTF)
  syncline_fuzz_target(ctf_fuzz SOURCES ctf_fuzz.cc CORPUS ctf LINK syncline_read_ctf_kernel)
  target_compile_definitions(ctf_fuzz PRIVATE SYNCLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()
