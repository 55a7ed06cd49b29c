# Sets shardlens_python_environment: the environment of a Python program that loads the modules of this build.
set(shardlens_python_environment PYTHONDONTWRITEBYTECODE=1)

# Modules with AddressSanitizer need its runtime before Python allocates memory. The runtime looks up the functions of
# libstdc++ that it replaces when it starts, so libstdc++ is loaded with it. Python and torch do not free all memory
# when they end, so leaks are not reported.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
  set(preloaded "")
  foreach(library libasan.so libstdc++.so.6)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=${library}
                    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND preloaded "${path}")
  endforeach()
  list(JOIN preloaded ":" preloaded)
  list(APPEND shardlens_python_environment "LD_PRELOAD=${preloaded}"
    ASAN_OPTIONS=detect_odr_violation=0:detect_leaks=0)
endif()
