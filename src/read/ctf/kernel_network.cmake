# Packets from the network events of kernel traces.
syncline_library(read_ctf_kernel
  SOURCES kernel_network.cc
  LINK syncline_read_ctf)
# A class of its header holds types of its unnamed namespace, which GCC allows in a main file only.
set_source_files_properties(kernel_network.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# For tests: writes kernel traces.
add_library(syncline_kernel_trace_builder STATIC EXCLUDE_FROM_ALL testing/kernel_trace_builder.cc)
target_link_libraries(syncline_kernel_trace_builder PUBLIC syncline_read_ctf)
syncline_test(read_ctf_kernel_test SOURCES kernel_network_test.cc
  LINK syncline_read_ctf_kernel syncline_kernel_trace_builder)
