syncline_bench(joint_bench SOURCES joint_bench.cc LINK syncline_estimate)
