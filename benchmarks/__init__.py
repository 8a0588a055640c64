"""Speed as ratios within one run. `make bench` writes them to results/bench/."""
