# The functions that make every target of this project.
#
#   shardlens_library(NAME SOURCES ... [PUBLIC targets] [PRIVATE targets] [QT] [TORCH])
#   shardlens_executable(NAME SOURCES ... LINKS targets [QT] [TORCH])
#   shardlens_bench(NAME SOURCES ... LINKS targets [TORCH])
#   shardlens_test(NAME SOURCES ... LINKS targets [LABELS ...] [QT] [TORCH])
#
# QT: moc and rcc run, Qt Widgets and Charts are linked, and a library's files begin with Qt's
# precompiled headers. TORCH: the wheel is linked and its precompiled header used. A .cu among the
# SOURCES counts only where CUDA is on; C++ asks shardlens_gpu_build.h for that, so that few files are
# compiled anew where it changes.

# torch's headers take 6 s to read; they are read once, for all targets.
if(NOT SHARDLENS_TORCH_FREE)
  add_library(shardlens_torch_pch OBJECT app/cmake/torch_pch.cpp)
  target_link_libraries(shardlens_torch_pch PRIVATE TorchWheel::torch)
  target_precompile_headers(shardlens_torch_pch PRIVATE app/cmake/torch_pch.h)
endif()

function(shardlens_use_qt target visibility)
  set_target_properties(${target} PROPERTIES AUTOMOC ON AUTORCC ON)
  target_link_libraries(${target} ${visibility} Qt6::Widgets Qt6::Charts)
  target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS)
endfunction()

function(shardlens_use_torch target visibility)
  target_link_libraries(${target} ${visibility} TorchWheel::torch)
  target_precompile_headers(${target} REUSE_FROM shardlens_torch_pch)
  # A program would be compiled with -fPIE, for which the header of the libraries is void.
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fPIC>")
endfunction()

function(shardlens_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QT;TORCH" "" "SOURCES;PUBLIC;PRIVATE")
  set(target shardlens_${name})
  set(compiled ${arg_SOURCES})
  set(cuda ${arg_SOURCES})
  list(FILTER compiled INCLUDE REGEX "\\.(cpp|cu|qrc)$")
  list(FILTER cuda INCLUDE REGEX "\\.cu$")
  if(NOT compiled)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC})
    return()
  endif()
  if(cuda AND NOT SHARDLENS_WITH_CUDA)
    list(REMOVE_ITEM arg_SOURCES ${cuda})
  endif()
  add_library(${target} STATIC ${arg_SOURCES})
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  if(cuda AND SHARDLENS_WITH_CUDA)
    target_link_libraries(${target} PRIVATE shardlens_cudart)
  endif()
  # Each file by itself pays anew for what torch's and JSON's headers leave to be instantiated.
  if(SHARDLENS_UNITY_BUILD AND NOT arg_QT)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  if(arg_QT)
    shardlens_use_qt(${target} PUBLIC)
    target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/app/cmake/qt_pch.h")
  endif()
  if(arg_TORCH)
    shardlens_use_torch(${target} PUBLIC)
  endif()
endfunction()

function(shardlens_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QT;TORCH" "" "SOURCES;LINKS")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  if(arg_QT)
    shardlens_use_qt(${name} PRIVATE)
  else()
    # Once installed, the engine finds the torch that is installed with it.
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/shardlens")
  endif()
  if(arg_TORCH)
    shardlens_use_torch(${name} PRIVATE)
  endif()
endfunction()

# Benchmarks are built by the target benches, not by a plain build: whoever wants the window or the
# command line does not wait for them.
add_custom_target(benches)
function(shardlens_bench name)
  shardlens_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(benches ${name})
endfunction()

# Tests are built by the target test_programs, not by a plain build, so that app/setup is quick.
add_custom_target(test_programs)

# A program of tests is one ctest entry, so that it loads its libraries once, not once a case. It
# leaves what became of its cases in Testing/cases, for tests/run to count. A main() of the test's
# own wins over the given one, for both come from libraries.
function(shardlens_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QT;TORCH" "" "SOURCES;LINKS;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  add_dependencies(test_programs ${name})
  target_compile_definitions(${name} PRIVATE
    SHARDLENS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" SHARDLENS_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gmock)
  if(arg_QT)
    shardlens_use_qt(${name} PRIVATE)
    target_link_libraries(${name} PRIVATE Qt6::Test shardlens_qt_test_main)
    target_precompile_headers(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/qt_tests.h")
  else()
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
  endif()
  if(arg_TORCH)
    shardlens_use_torch(${name} PRIVATE)
  endif()
  shardlens_test_entry(${name} PROGRAM ${name} LABELS ${arg_LABELS}
    ENVIRONMENT QT_QPA_PLATFORM=offscreen)
endfunction()

# shardlens_test_entry(NAME PROGRAM target LABELS ... [ENVIRONMENT ...]): the ctest entry of one run
# of a program of tests.
function(shardlens_test_entry name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM" "LABELS;ENVIRONMENT")
  add_test(NAME ${name} COMMAND ${arg_PROGRAM} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600
    ENVIRONMENT "${arg_ENVIRONMENT};GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/Testing/cases/${name}.xml")
endfunction()
