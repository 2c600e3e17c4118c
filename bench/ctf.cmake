if(SYNCLINE_HAVE_CTF)
  # The traces and the measure for bench/sync_ctf.sh.
  syncline_bench_program(make_ctf SOURCES make_ctf.cc LINK syncline_model fmt::fmt)
  syncline_bench_program(ctf_read SOURCES ctf_read.cc LINK syncline_read_ctf)
  syncline_bench_program(ctf_child_bench SOURCES ctf_child_bench.cc LINK syncline_read_ctf_child CLI11::CLI11)
endif()
