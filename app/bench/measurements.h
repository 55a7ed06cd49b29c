#pragma once

namespace shardlens {

// Registers what is measured, each under the name that the table of ratios knows it by. All ranks
// are simulated in this process, four of them, and run one after another on one thread.
void registerMeasurements();

}  // namespace shardlens
