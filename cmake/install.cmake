# What `cmake --install` lays down: libraries, headers, tools, and the package files for find_package(clary)
# and pkg-config. Both follow the prefix, so the tree can be moved.
include(CMakePackageConfigHelpers)
set(CLARY_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/clary)

install(TARGETS clary_shared clary_static EXPORT clary-targets)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(EXPORT clary-targets NAMESPACE clary:: DESTINATION ${CLARY_PACKAGE_DIR})
if(CLARY_BUILD_TOOLS AND CLARY_TOOLS)
  file(RELATIVE_PATH up /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(${CLARY_TOOLS} PROPERTIES INSTALL_RPATH "$ORIGIN/${up}")
  install(TARGETS ${CLARY_TOOLS})
endif()

configure_package_config_file(cmake/clary-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/clary-config.cmake
  INSTALL_DESTINATION ${CLARY_PACKAGE_DIR} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/clary-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clary-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/clary-config-version.cmake DESTINATION ${CLARY_PACKAGE_DIR})

# libzip is linked as a shared library, also into programs that take Clary's static one, so that its own
# dependencies need not be there in full.
string(JOIN " " CLARY_PC_LIBS_PRIVATE ${CLARY_LIBZIP_PC_LDFLAGS})
file(RELATIVE_PATH CLARY_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/clary.pc.in ${CMAKE_CURRENT_BINARY_DIR}/clary.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clary.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
