# The Python package alone, as pip builds it: the modules and the command line, with the engine unless it is
# switched off, and with the window where Qt is. The backend in app/python/backend passes the settings.

set(SHARDLENS_WINDOW AUTO CACHE STRING "The window in the Python package: AUTO (when Qt 6 is found), ON or OFF")

find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
if(NOT SHARDLENS_TORCH AND NOT SHARDLENS_TORCH_FREE)
  include(torch_of_python)
  set(pythons "${Python_EXECUTABLE}")
  foreach(variable VIRTUAL_ENV CONDA_PREFIX)
    if(DEFINED ENV{${variable}})
      list(APPEND pythons "$ENV{${variable}}/bin/python3")
    endif()
  endforeach()
  foreach(python IN LISTS pythons)
    shardlens_torch_of("${python}" SHARDLENS_TORCH "${Python_SOABI}")
    if(SHARDLENS_TORCH)
      break()
    endif()
  endforeach()
  if(NOT SHARDLENS_TORCH)
    list(JOIN pythons ", " pythons)
    message(FATAL_ERROR
      "got no torch in ${pythons}, expected torch 2.15 or 2.11, which the engine is linked to.\n"
      "Install torch there, or name its folder: SHARDLENS_TORCH=.../site-packages/torch pip install ./app/python\n"
      "${torch_is_optional}\n")
  endif()
endif()
