#pragma once

namespace shardlens {

// Registers all measurements of a plain run with Google Benchmark, under the names that the table
// in ratios.cpp refers to. Ranks are simulated in this process, on one thread.
void registerMeasurements();

}  // namespace shardlens
