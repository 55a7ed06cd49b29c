# Arrow C++ with Parquet, of the wheel pyarrow beside torch, as the imported target ArrowWheel::parquet. Debian 12
# has no Arrow. Sets ArrowWheel_VERSION.

file(GLOB arrow_root "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/pyarrow")
find_path(ArrowWheel_INCLUDE_DIR parquet/arrow/writer.h PATHS "${arrow_root}/include" NO_CACHE NO_DEFAULT_PATH)
# The wheel has the libraries under their versioned names alone.
file(GLOB arrow_library "${arrow_root}/libarrow.so.*00")
file(GLOB parquet_library "${arrow_root}/libparquet.so.*00")
if(ArrowWheel_INCLUDE_DIR)
  file(STRINGS "${ArrowWheel_INCLUDE_DIR}/arrow/util/config.h" version_line REGEX "define ARROW_VERSION_STRING ")
  string(REGEX MATCH "[0-9][0-9.]*" ArrowWheel_VERSION "${version_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ArrowWheel
  REQUIRED_VARS arrow_library parquet_library ArrowWheel_INCLUDE_DIR
  VERSION_VAR ArrowWheel_VERSION
  REASON_FAILURE_MESSAGE "app/setup installs pyarrow into .venv")

if(ArrowWheel_FOUND)
  add_library(ArrowWheel::arrow SHARED IMPORTED)
  set_target_properties(ArrowWheel::arrow PROPERTIES IMPORTED_LOCATION "${arrow_library}")
  add_library(ArrowWheel::parquet SHARED IMPORTED)
  set_target_properties(ArrowWheel::parquet PROPERTIES
    IMPORTED_LOCATION "${parquet_library}"
    INTERFACE_INCLUDE_DIRECTORIES "${ArrowWheel_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES ArrowWheel::arrow
    INTERFACE_LINK_OPTIONS -Wl,--disable-new-dtags)  # no other Arrow is loaded at run time
endif()
