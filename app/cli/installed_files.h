#pragma once

#include <filesystem>
#include <string>

namespace shardlens::cli {

// What is installed beside the programs; in a build folder, what stands in the source tree. Empty
// where it is not there.
std::filesystem::path programFile(const std::string& name);
std::filesystem::path galleryFolder();
std::filesystem::path verifyScript();
std::filesystem::path scenarioDocument();   // SCENARIO.md
std::filesystem::path recordingDocument();  // FORMAT.md

}  // namespace shardlens::cli
