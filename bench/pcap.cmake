# Reading and rewriting captures, in nanoseconds per packet.
syncline_bench(pcap_bench SOURCES pcap_bench.cc LINK syncline_read_pcap syncline_write_pcap)
