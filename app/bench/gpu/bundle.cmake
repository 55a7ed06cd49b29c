# The target gpu_bundle: one archive to carry to a machine with a GPU, with the layout of a checkout and its
# build folder. Its programs run beside the torch of that machine, which the script with_torch finds.
if(NOT TARGET shardlens-end-to-end-bench OR NOT TARGET shardlens-nccl-bench OR NOT TARGET nccl_test)
  return()
endif()

set(programs shardlens shardlens-engine shardlens-gpu-bench shardlens-nccl-bench shardlens-end-to-end-bench)
set(gpu_tests kernels_test nccl_test)
set(here "${CMAKE_CURRENT_LIST_DIR}")
set(in_bundle COMPONENT gpu_bundle EXCLUDE_FROM_ALL)

# shardlens_executable() sets this path for the programs, relative to build/bin.
set_target_properties(kernels_test PROPERTIES INSTALL_RPATH "$ORIGIN/../../lib/shardlens")
set_target_properties(nccl_test PROPERTIES INSTALL_RPATH "$ORIGIN/../../../lib/shardlens")
install(TARGETS ${programs} RUNTIME_DEPENDENCY_SET gpu_bundle_libraries
  RUNTIME DESTINATION build/bin ${in_bundle})
install(TARGETS kernels_test RUNTIME DESTINATION build/tests/kernels ${in_bundle})
install(TARGETS nccl_test RUNTIME DESTINATION build/tests/comm/nccl ${in_bundle})
# Every Linux has the remaining libraries, or torch brings them.
install(RUNTIME_DEPENDENCY_SET gpu_bundle_libraries
  PRE_INCLUDE_REGEXES "^libfmt\\." "^libsqlite3\\." "^libzstd\\." "^libz\\." PRE_EXCLUDE_REGEXES "."
  LIBRARY DESTINATION build/lib/shardlens ${in_bundle})

string(REGEX MATCH "^[0-9]+\\.[0-9]+" torch_minor "${TorchWheel_VERSION}")
configure_file("${here}/with_torch.in" "${PROJECT_BINARY_DIR}/gpu_bundle/with_torch" @ONLY)
install(PROGRAMS "${PROJECT_BINARY_DIR}/gpu_bundle/with_torch" DESTINATION . ${in_bundle})
install(PROGRAMS "${here}/run_all" DESTINATION app/bench/gpu ${in_bundle})
install(DIRECTORY "${here}/" DESTINATION app/bench/gpu ${in_bundle} FILES_MATCHING PATTERN "*.py")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/tests/oracle/" DESTINATION tests/oracle ${in_bundle}
  FILES_MATCHING PATTERN "*.py" PATTERN "*.jsonl")
file(GLOB scenarios CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/resources/gallery/*.json")
install(FILES ${scenarios} DESTINATION resources/gallery ${in_bundle})

set(name shardlens-gpu-bundle)
set(folder "${PROJECT_BINARY_DIR}/gpu_bundle/${name}")
add_custom_target(gpu_bundle
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${folder}"
  COMMAND "${CMAKE_COMMAND}" --install "${PROJECT_BINARY_DIR}" --component gpu_bundle --strip --prefix "${folder}"
  COMMAND "${CMAKE_COMMAND}" -E chdir "${PROJECT_BINARY_DIR}/gpu_bundle" "${CMAKE_COMMAND}" -E tar czf
          "${PROJECT_BINARY_DIR}/${name}.tar.gz" --format=gnutar "${name}"
  COMMAND "${CMAKE_COMMAND}" -E echo "wrote ${PROJECT_BINARY_DIR}/${name}.tar.gz"
  USES_TERMINAL VERBATIM)
add_dependencies(gpu_bundle ${programs} ${gpu_tests})
