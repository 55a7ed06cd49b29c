# What the engine needs from outside the repository, and nothing else: a part of dependencies.cmake,
# and all that the Python package takes.

find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(zstd REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)

set(SHARDLENS_TORCH_VERSION none)
if(NOT SHARDLENS_TORCH_FREE)
  find_package(TorchWheel REQUIRED)
  set(SHARDLENS_TORCH_VERSION ${TorchWheel_VERSION})
  # torch's headers have another fmt among them: that of the library is found before it.
  get_target_property(fmt_headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/generated")
  file(CREATE_LINK "${fmt_headers}/fmt" "${PROJECT_BINARY_DIR}/generated/fmt" SYMBOLIC)
endif()
