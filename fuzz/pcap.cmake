# Fuzz targets of the capture formats.
syncline_fuzz_target(pcap_fuzz SOURCES pcap_fuzz.cc CORPUS pcap
  LINK syncline_read_pcap syncline_write_pcap)
syncline_fuzz_target(pcapng_fuzz SOURCES pcapng_fuzz.cc CORPUS pcapng
  LINK syncline_read_pcap syncline_write_pcap)
