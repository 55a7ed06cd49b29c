# The functions that make every target of this project.
#
#   shardlens_library(NAME SOURCES ... [PUBLIC targets] [PRIVATE targets] [QT] [TORCH] [WARM|COLD])
#   shardlens_executable(NAME SOURCES ... LINKS targets [QT] [TORCH])
#   shardlens_bench(NAME SOURCES ... LINKS targets [TORCH])
#   shardlens_test(NAME SOURCES ... LINKS targets [LABELS ...] [SHARDS n] [QT] [TORCH] [OPTIMISED])
#
# QT: moc and rcc run, Qt Widgets and Charts are linked, and a library's files begin with Qt's
# precompiled headers. TORCH: the wheel is linked and its precompiled header used. WARM and COLD: pip compiles
# the library with less optimisation, as it does all libraries with TORCH. A .cu among the SOURCES counts only
# where CUDA is on; C++ reads that from shardlens_gpu_build.h, so that few files are recompiled when it
# changes. OPTIMISED: for tests that compute much; not with QT. (In a program of tests that is not optimised,
# the templates that it shares with the product are not optimised either.)
#
# A target sees the headers of its room (the folder of its CMakeLists.txt) and of the libraries that it
# links, as they see theirs if they are PUBLIC. An #include of any other room does not compile.

# shardlens_see(TARGET PUBLIC|PRIVATE|INTERFACE rooms...): adds the headers of rooms to those that the target
# sees, without linking their libraries. Each room has an include folder with a link to the room alone,
# so that the text of an #include begins at the repository root: "core/model/spec.h".
function(shardlens_see target visibility)
  foreach(room IN LISTS ARGN)
    string(REPLACE "/" "." name "${room}")
    set(link "${PROJECT_BINARY_DIR}/include/${name}/${room}")
    cmake_path(GET link PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${room}" "${link}" SYMBOLIC)
    target_include_directories(${target} ${visibility} "${PROJECT_BINARY_DIR}/include/${name}")
  endforeach()
endfunction()

# As shardlens_see(), for the room of the current CMakeLists.txt.
function(shardlens_see_own_room target visibility)
  file(RELATIVE_PATH room "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  shardlens_see(${target} ${visibility} ${room})
endfunction()

# shardlens_precompiled(NAME HEADER [LINKS targets] [OPTIONS options]): a target that owns a precompiled
# header. Targets that reuse it must have the same options, else the compiler ignores it; -Og, -O1 and -O2 may differ.
function(shardlens_precompiled name header)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LINKS;OPTIONS")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/app/cmake/pch.cpp")
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE "${PROJECT_SOURCE_DIR}/${header}")
endfunction()

# A user of pip waits for the compiler. Warm libraries are called for each event of a recording or for each operator of
# the engine; cold ones are called a few times by a command. Libraries that are called for each event while a job is
# recorded, and loops over elements, keep -O2. Libraries with torch are warm, as is their precompiled header: where they
# include fmt, its #pragma GCC pop_options sets the level of optimisation back to that of the precompiled header.
set(warm_options "")
set(cold_options "")
if(SHARDLENS_PYTHON_ALONE)
  set(warm_options -O1)
  set(cold_options -Og)
endif()

# Tests are compiled without optimisation: they run once, and compile in two thirds of the time.
set(test_options "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O0>")

if(TARGET fmt::fmt AND TARGET nlohmann_json::nlohmann_json)
  shardlens_precompiled(shardlens_pch app/cmake/plain_pch.h LINKS fmt::fmt nlohmann_json::nlohmann_json)
endif()
if(NOT SHARDLENS_TORCH_FREE)
  shardlens_precompiled(shardlens_torch_pch app/cmake/torch_pch.h LINKS TorchWheel::torch OPTIONS ${warm_options})
endif()
if(TARGET GTest::gmock AND TARGET shardlens_pch)
  shardlens_precompiled(shardlens_test_pch tests/support/plain_tests.h OPTIONS ${test_options}
    LINKS fmt::fmt nlohmann_json::nlohmann_json GTest::gmock)
  if(NOT SHARDLENS_TORCH_FREE)
    shardlens_precompiled(shardlens_torch_test_pch tests/support/torch_tests.h OPTIONS ${test_options}
      LINKS TorchWheel::torch GTest::gmock)
  endif()
endif()
if(TARGET Qt6::Widgets)
  shardlens_precompiled(shardlens_qt_pch app/cmake/qt_pch.h LINKS Qt6::Widgets)
  target_compile_definitions(shardlens_qt_pch PRIVATE QT_NO_KEYWORDS)
endif()
if(TARGET Qt6::Widgets AND TARGET GTest::gmock)
  shardlens_precompiled(shardlens_qt_test_pch tests/support/qt_tests.h OPTIONS ${test_options}
    LINKS Qt6::Widgets GTest::gmock nlohmann_json::nlohmann_json)
  target_compile_definitions(shardlens_qt_test_pch PRIVATE QT_NO_KEYWORDS)
endif()

function(shardlens_reuse target pch)
  target_precompile_headers(${target} REUSE_FROM ${pch})
  # Programs are compiled with -fPIE by default, which the libraries' precompiled headers are not.
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fPIC>")
endfunction()

function(shardlens_use_qt target visibility)
  set_target_properties(${target} PROPERTIES AUTOMOC ON AUTORCC ON)
  target_link_libraries(${target} ${visibility} Qt6::Widgets Qt6::Charts)
  target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS)
endfunction()

# Several files of a target are compiled as one, because each by itself instantiates the same templates
# of torch, JSON and the standard library. Names in their anonymous namespaces must be distinct.
function(shardlens_unite target files)
  if(SHARDLENS_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  endif()
endfunction()

function(shardlens_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QT;TORCH;WARM;COLD" "" "SOURCES;PUBLIC;PRIVATE")
  set(target shardlens_${name})
  set(compiled ${arg_SOURCES})
  set(cuda ${arg_SOURCES})
  list(FILTER compiled INCLUDE REGEX "\\.(cpp|cu|qrc)$")
  list(FILTER cuda INCLUDE REGEX "\\.cu$")
  if(NOT compiled)
    add_library(${target} INTERFACE)
    shardlens_see_own_room(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC})
    return()
  endif()
  if(cuda AND NOT SHARDLENS_WITH_CUDA)
    list(REMOVE_ITEM arg_SOURCES ${cuda})
  endif()
  add_library(${target} STATIC ${arg_SOURCES})
  shardlens_see_own_room(${target} PUBLIC)
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  if(cuda AND SHARDLENS_WITH_CUDA)
    target_link_libraries(${target} PRIVATE shardlens_cudart)
  endif()
  if(arg_QT)
    shardlens_use_qt(${target} PUBLIC)
    shardlens_reuse(${target} shardlens_qt_pch)
  elseif(arg_TORCH)
    target_link_libraries(${target} PUBLIC TorchWheel::torch)
    target_compile_options(${target} PRIVATE ${warm_options})
    shardlens_reuse(${target} shardlens_torch_pch)
  elseif(TARGET shardlens_pch)
    target_link_libraries(${target} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
    shardlens_reuse(${target} shardlens_pch)
  endif()
  if(arg_WARM)
    target_compile_options(${target} PRIVATE ${warm_options})
  elseif(arg_COLD)
    target_compile_options(${target} PRIVATE ${cold_options})
  endif()
  if(arg_QT)
    shardlens_unite(${target} 24)
  else()
    shardlens_unite(${target} 48)
  endif()
endfunction()

function(shardlens_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QT;TORCH" "" "SOURCES;LINKS")
  add_executable(${name} ${arg_SOURCES})
  shardlens_see_own_room(${name} PRIVATE)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  if(arg_QT)
    shardlens_use_qt(${name} PRIVATE)
    shardlens_reuse(${name} shardlens_qt_pch)
  else()
    # Once installed, the engine finds the torch that is installed with it.
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/shardlens")
  endif()
  if(arg_TORCH)
    target_link_libraries(${name} PRIVATE TorchWheel::torch)
    shardlens_reuse(${name} shardlens_torch_pch)
  endif()
endfunction()

# Benchmarks are built by the target benches, not by a plain build, which then takes less time.
add_custom_target(benches)
function(shardlens_bench name)
  shardlens_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(benches ${name})
endfunction()

# Tests are built by the target test_programs, not by a plain build, so that app/setup is quick.
add_custom_target(test_programs)

# A program of tests is one ctest entry, because it loads its libraries once; with SHARDS, that many
# entries of similar length, each with its part of the cases. An entry writes the results of its cases to
# Testing/cases, where tests/run counts them. A main() among the SOURCES replaces GoogleTest's.
function(shardlens_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QT;TORCH;OPTIMISED" "SHARDS" "SOURCES;LINKS;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  add_dependencies(test_programs ${name})
  target_compile_definitions(${name} PRIVATE
    SHARDLENS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SHARDLENS_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gmock)
  if(NOT arg_OPTIMISED)
    target_compile_options(${name} PRIVATE ${test_options})
  endif()
  if(arg_QT)
    shardlens_use_qt(${name} PRIVATE)
    target_link_libraries(${name} PRIVATE Qt6::Test shardlens_qt_test_main)
    shardlens_reuse(${name} shardlens_qt_test_pch)
  elseif(arg_TORCH)
    target_link_libraries(${name} PRIVATE TorchWheel::torch GTest::gtest_main)
    if(arg_OPTIMISED)
      shardlens_reuse(${name} shardlens_torch_pch)
    else()
      shardlens_reuse(${name} shardlens_torch_test_pch)
    endif()
  else()
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
    if(TARGET shardlens_test_pch AND NOT arg_OPTIMISED)
      target_link_libraries(${name} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
      shardlens_reuse(${name} shardlens_test_pch)
    endif()
  endif()
  shardlens_unite(${name} 24)
  shardlens_test_entry(${name} PROGRAM ${name} LABELS ${arg_LABELS} SHARDS ${arg_SHARDS}
    ENVIRONMENT QT_QPA_PLATFORM=offscreen)
endfunction()

# shardlens_test_entry(NAME PROGRAM target LABELS ... [SHARDS n] [ENVIRONMENT ...]): the ctest entry, or the n
# entries NAME.1 to NAME.n, of one run of a program of tests.
function(shardlens_test_entry name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM;SHARDS" "LABELS;ENVIRONMENT")
  if(NOT arg_SHARDS)
    shardlens_ctest(${name} LABELS ${arg_LABELS} COMMAND ${arg_PROGRAM} --gtest_brief=1
      ENVIRONMENT ${arg_ENVIRONMENT} "GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/Testing/cases/${name}.xml")
    return()
  endif()
  foreach(number RANGE 1 ${arg_SHARDS})
    math(EXPR index "${number} - 1")
    shardlens_test_entry(${name}.${number} PROGRAM ${arg_PROGRAM} LABELS ${arg_LABELS}
      ENVIRONMENT ${arg_ENVIRONMENT} GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${index})
  endforeach()
endfunction()

# shardlens_ctest(NAME COMMAND ... LABELS ... [ENVIRONMENT ...] [PARTS n]): a ctest entry with the limit that
# tests/limits.cmake sets. Entries start in the order of their time, the longest first. With PARTS, n entries
# NAME.1 to NAME.n of a file of Python tests that imports load_tests of tests/support/parts.py.
function(shardlens_ctest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PARTS" "COMMAND;LABELS;ENVIRONMENT")
  if(arg_PARTS)
    foreach(part RANGE 1 ${arg_PARTS})
      shardlens_ctest(${name}.${part} COMMAND ${arg_COMMAND} LABELS ${arg_LABELS}
        ENVIRONMENT ${arg_ENVIRONMENT} SHARDLENS_TEST_PART=${part}/${arg_PARTS})
    endforeach()
    return()
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  shardlens_quiet_seconds(${name} seconds)
  math(EXPR limit "10 * ${seconds}")
  if(limit LESS 120)
    set(limit 120)
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    math(EXPR limit "5 * ${limit}")
  endif()
  if(DEFINED ENV{SHARDLENS_PATIENCE})
    math(EXPR limit "${limit} * $ENV{SHARDLENS_PATIENCE}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${limit} COST ${seconds}
    ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()
