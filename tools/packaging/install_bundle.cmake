# What `cmake --install --component bundle` does: the library of C as one file, its headers, and a CMake package and pkg-config files of its
# own. It takes the place of both libraries of C where they are shared, so it has their number.
set_target_properties(vkonnx_c_bundle PROPERTIES VERSION ${VKONNX_C_INTERFACE}.${PROJECT_VERSION} SOVERSION ${VKONNX_C_INTERFACE})
# A library of macOS has a path inside, which the linker copies into programs. With @rpath each program says in which folders it looks;
# without it, the path would be that of this build.
set_target_properties(vkonnx_c_bundle PROPERTIES INSTALL_NAME_DIR @rpath BUILD_WITH_INSTALL_NAME_DIR ON)
if(WIN32)
    set_target_properties(vkonnx_c_bundle PROPERTIES PREFIX "" IMPORT_PREFIX "" IMPORT_SUFFIX .lib)
endif()
install(TARGETS vkonnx_c_bundle
    ARCHIVE DESTINATION lib COMPONENT bundle
    LIBRARY DESTINATION lib COMPONENT bundle
    RUNTIME DESTINATION bin COMPONENT bundle)
foreach(header vkonnx.h onnx.h vulkan.h)
    install(FILES ${PROJECT_SOURCE_DIR}/include/vkonnx/${header} DESTINATION include/vkonnx COMPONENT bundle)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION . COMPONENT bundle)

set(to_library $<IF:$<BOOL:${WIN32}>,bin,lib>/$<TARGET_FILE_NAME:vkonnx_c_bundle>)
file(READ ${templates}/vkonnx-c-config.cmake.in config)
string(CONFIGURE "${config}" config @ONLY)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/packaging/bundle/vkonnx-config.cmake CONTENT "${config}" TARGET vkonnx_c_bundle)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/packaging/bundle/vkonnx-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/packaging/bundle/vkonnx-config.cmake ${PROJECT_BINARY_DIR}/packaging/bundle/vkonnx-config-version.cmake
    DESTINATION lib/cmake/vkonnx COMPONENT bundle)

# A program of C that calls functions of model files asks for vkonnx-onnx-c, as with two libraries.
foreach(name vkonnx-c vkonnx-onnx-c)
    set(VKONNX_PC_BUNDLE_NAME ${name})
    configure_file(${templates}/vkonnx-c-bundle.pc.in ${PROJECT_BINARY_DIR}/packaging/bundle/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/packaging/bundle/${name}.pc DESTINATION lib/pkgconfig COMPONENT bundle)
endforeach()
