# How every file is compiled: one place, so that all targets can share one precompiled header.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT SHARDLENS_PYTHON_ALONE)  # pip shows no warnings, but their analysis takes one part in forty of the time
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>")
endif()
# This compiler takes the members of a std::variant's other alternatives for uninitialised ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>")
endif()

# By default this compiler collects its garbage several times in each of the large units of a unity build.
if(SHARDLENS_PYTHON_ALONE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options("SHELL:--param ggc-min-heapsize=1000000")  # KB; a unit needs at most 1.3 GB without collecting
endif()

# ccache caches no compilation with a precompiled header without these sloppiness settings.
find_program(SHARDLENS_CCACHE ccache)
if(SHARDLENS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${SHARDLENS_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>")
  endif()
endif()

# clang-tidy looks upwards for its settings: moc's output cannot be fixed here. (One check must
# stay on, so one is left that finds nothing there.)
if(CMAKE_CXX_CLANG_TIDY)
  file(WRITE "${PROJECT_BINARY_DIR}/.clang-tidy" "Checks: '-*,llvm-twine-local'\n")
endif()
