if(SYNCLINE_HAVE_CTF)
  # The traces and the measure for bench/sync_ctf.sh.
  add_executable(make_ctf make_ctf.cc)
  target_link_libraries(make_ctf PRIVATE syncline_model fmt::fmt)
  add_executable(ctf_read ctf_read.cc)
  target_link_libraries(ctf_read PRIVATE syncline_read_ctf)
endif()
