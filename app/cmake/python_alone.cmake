# The Python package alone, as pip builds it: with the engine if the target Python has torch, else
# without. pip may build in a separate environment without torch, so the target Python's own folder
# is searched too.

find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
set(where_is_torch [[
import importlib.util, os, sysconfig
spec = importlib.util.find_spec("torch")
places = [os.path.dirname(spec.origin)] if spec and spec.origin else []
places += [os.path.join(sysconfig.get_path(kind), "torch") for kind in ("purelib", "platlib")]
print(next((place for place in places if os.path.isdir(os.path.join(place, "lib"))), ""))
]])
if(NOT SHARDLENS_TORCH AND NOT SHARDLENS_TORCH_FREE)
  execute_process(COMMAND "${Python_EXECUTABLE}" -c "${where_is_torch}"
                  OUTPUT_VARIABLE SHARDLENS_TORCH OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT SHARDLENS_TORCH)
    message(STATUS "No torch beside ${Python_EXECUTABLE}: the package gets placements and "
                   "recordings, and no sharded tensors")
    set(SHARDLENS_TORCH_FREE ON)
  endif()
endif()
