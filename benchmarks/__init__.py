"""Speed as ratios within one run, and what the students of the examples keep. `make bench` writes results/bench/."""
