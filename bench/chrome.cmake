# The measure for reading Chrome JSON.
syncline_bench_program(chrome_read SOURCES chrome_read.cc LINK syncline_read_chrome)
target_link_libraries(chrome_read PRIVATE simdjson::simdjson)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # As the reader itself.
  target_compile_options(chrome_read PRIVATE -msse4.2 -mpclmul)
endif()
