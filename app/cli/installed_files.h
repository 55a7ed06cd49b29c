#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace shardlens::cli {

// Return paths of installed files, or of the source tree's files for programs in a build folder.
// Empty if the file is missing.
// Returns the path of a file relative to the folder of this program.
std::filesystem::path programFile(const std::string& name);
std::filesystem::path galleryFolder();
// Returns the scenarios and the folders of recordings in an existing gallery, by name.
std::vector<std::filesystem::path> galleryEntries(const std::filesystem::path& folder);
// The folder that the paths of the handbook are relative to; see core/handbook/handbook.h.
std::filesystem::path handbookRoot();
std::filesystem::path verifyScript();
std::filesystem::path scenarioDocument();   // SCENARIO.md
std::filesystem::path recordingDocument();  // FORMAT.md

}  // namespace shardlens::cli
