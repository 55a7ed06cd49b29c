# The last sentence of errors about torch: only pip builds without it.
set(torch_is_optional "")
if(SHARDLENS_PYTHON_ALONE)
  string(CONCAT torch_is_optional "Or install without the engine (placements, recordings and the command line): "
                                  "pip install ./app/python --config-settings engine=off")
endif()

# shardlens_torch_of(PYTHON RESULT [SOABI]): sets RESULT to the torch folder that this Python imports, without importing it,
# or to an empty string; with SOABI, also where the Python's extension modules have another ABI. A build isolated by
# pip hides the environment's packages by PYTHONPATH, so the Python is asked a second time without it.
function(shardlens_torch_of python result)
  set(where_is_torch [[
import importlib.util, os, sys, sysconfig
spec = importlib.util.find_spec("torch")
same_abi = len(sys.argv) < 2 or sys.argv[1] == sysconfig.get_config_var("SOABI")
print(os.path.dirname(spec.origin) if spec and spec.origin and same_abi else "")
]])
  foreach(environment "PYTHONSAFEPATH=1" "PYTHONSAFEPATH=1;--unset=PYTHONPATH;--unset=PYTHONNOUSERSITE")
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env ${environment} "${python}" -c "${where_is_torch}" ${ARGN}
      OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(folder AND IS_DIRECTORY "${folder}/lib")
      set(${result} "${folder}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${result} "" PARENT_SCOPE)
endfunction()
