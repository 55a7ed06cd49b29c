# NCCL's header and library from one and the same place: the wheel that torch came with, else a
# CUDA toolkit. (The toolkit's older library under torch's newer header breaks at run time.)
#
# A header counts when it compiles: nccl.h includes CUDA's, and those of torch's wheels lack crt/,
# which only a toolkit has. Sets Nccl_VERSION, Nccl_INCLUDE_DIR, Nccl_CUDA_INCLUDE_DIR, Nccl_LIBRARY,
# Nccl_MISSING (why it is not found) and makes Nccl::headers, which have CUDA's beside them: the
# library is opened when a program runs, and linked to none.

set(Nccl_MISSING "no nccl.h with its libnccl.so.2 (the full torch has them)")
foreach(place IN ITEMS "${TorchWheel_NVIDIA}/nccl" "${SHARDLENS_CUDA_TOOLKIT}" /usr)
  find_path(Nccl_INCLUDE_DIR nccl.h PATHS "${place}/include" NO_CACHE NO_DEFAULT_PATH)
  find_library(Nccl_LIBRARY NAMES libnccl.so.2 NO_CACHE NO_DEFAULT_PATH
               PATHS "${place}/lib" "${place}/lib64" "${place}/lib/x86_64-linux-gnu")
  if(Nccl_INCLUDE_DIR AND Nccl_LIBRARY)
    break()
  endif()
  unset(Nccl_INCLUDE_DIR)
  unset(Nccl_LIBRARY)
endforeach()

if(Nccl_INCLUDE_DIR)
  file(STRINGS "${Nccl_INCLUDE_DIR}/nccl.h" version_lines
       REGEX "define NCCL_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL "[0-9]+" Nccl_VERSION "${version_lines}")
  list(JOIN Nccl_VERSION . Nccl_VERSION)

  set(ENV{LC_ALL} C) # the compiler's words are searched
  set(Nccl_MISSING "no cuda_runtime.h, which nccl.h includes (a CUDA toolkit has it)")
  foreach(folder IN ITEMS "${SHARDLENS_CUDA_TOOLKIT}/include" "${TorchWheel_NVIDIA}/cu13/include"
                          /usr/local/cuda/include)
    if(NOT EXISTS "${folder}/cuda_runtime.h")
      continue()
    endif()
    try_compile(compiles SOURCE_FROM_CONTENT nccl.cpp "#include <nccl.h>\nint main() {}\n"
                CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${Nccl_INCLUDE_DIR};${folder}"
                OUTPUT_VARIABLE said NO_CACHE)
    if(compiles)
      set(Nccl_CUDA_INCLUDE_DIR "${folder}")
      break()
    endif()
    string(REGEX MATCH "error: [^\n\\]*" why "${said}")
    string(REGEX REPLACE "^error: " "" why "${why}")
    string(REPLACE "\"" "'" why "${why}")
    set(Nccl_MISSING "nccl.h ${Nccl_VERSION} does not compile: ${why} (a CUDA toolkit has it)")
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Nccl
  REQUIRED_VARS Nccl_LIBRARY Nccl_INCLUDE_DIR Nccl_CUDA_INCLUDE_DIR VERSION_VAR Nccl_VERSION)

if(Nccl_FOUND AND NOT TARGET Nccl::headers)
  add_library(Nccl::headers INTERFACE IMPORTED)
  set_target_properties(Nccl::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Nccl_INCLUDE_DIR};${Nccl_CUDA_INCLUDE_DIR}")
endif()
