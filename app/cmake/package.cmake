# cpack makes a Debian package of all that is installed; it has torch's libraries inside, because no
# Debian has them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME shardlens)
set(CPACK_PACKAGE_CONTACT "The Shardlens authors <shardlens@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "See and debug how tensors are placed on ranks")
set(CPACK_PACKAGE_DESCRIPTION
"Executes programs on sharded tensors, with the placements of PyTorch's DTensor,
and records every step. A window shows any moment of a recording, forward and
back; a command line answers questions about it.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    "${TorchWheel_ROOT}/lib" "${TorchWheel_NVIDIA}/cu13/lib")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-dejavu-core)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3)  # for shardlens verify
include(CPack)
