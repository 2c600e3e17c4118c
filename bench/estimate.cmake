syncline_bench(estimate_bench SOURCES estimate_bench.cc LINK syncline_estimate)
syncline_bench(joint_bench SOURCES joint_bench.cc LINK syncline_estimate)
