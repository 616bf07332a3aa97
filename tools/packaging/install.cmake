# What `cmake --install` does: the components library, development and tools, the CMake package and the pkg-config files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_package(Threads REQUIRED)

set(VKONNX_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/vkonnx)
set(templates ${PROJECT_SOURCE_DIR}/tools/packaging)
set(libraries vkonnx)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/vkonnx/*.h ${PROJECT_SOURCE_DIR}/include/vkonnx/*.hpp)
file(GLOB operator_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/vkonnx/operators/*.hpp)
# Those whose headers are installed only with them.
foreach(pair "vkonnx_onnx /onnx\\.hpp$" "vkonnx_c /(vkonnx|vulkan)\\.h$" "vkonnx_onnx_c /onnx\\.h$")
    separate_arguments(pair)
    list(POP_FRONT pair library)
    if(TARGET ${library})
        list(APPEND libraries ${library})
    else()
        list(FILTER headers EXCLUDE REGEX "${pair}")
    endif()
endforeach()
if(APPLE)
    set(origin @loader_path)
else()
    set(origin $ORIGIN)
endif()

# While the version is 0.x, another minor version is another interface of C++. That of C has a number of its own, which changes
# with what vkonnx.h says, not with releases.
set(VKONNX_C_INTERFACE 0)
set_target_properties(${libraries} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH ${origin})
set(c_libraries ${libraries})
list(FILTER c_libraries INCLUDE REGEX "_c$")
foreach(library IN LISTS c_libraries)
    set_target_properties(${library} PROPERTIES
        VERSION ${VKONNX_C_INTERFACE}.${PROJECT_VERSION} SOVERSION ${VKONNX_C_INTERFACE})
endforeach()
install(TARGETS ${libraries} EXPORT vkonnx-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vkonnx COMPONENT development)
install(FILES ${operator_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vkonnx/operators COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/vkonnx COMPONENT library)

# find_package(vkonnx CONFIG)
get_target_property(type vkonnx TYPE)
configure_package_config_file(${templates}/vkonnx-config.cmake.in ${PROJECT_BINARY_DIR}/packaging/vkonnx-config.cmake
    INSTALL_DESTINATION ${VKONNX_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/packaging/vkonnx-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT vkonnx-targets NAMESPACE vkonnx:: DESTINATION ${VKONNX_CMAKE_DIR} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/packaging/vkonnx-config.cmake ${PROJECT_BINARY_DIR}/packaging/vkonnx-config-version.cmake
    DESTINATION ${VKONNX_CMAKE_DIR} COMPONENT development)

# pkg-config. The prefix is found from the file's own place, so that what was installed can be moved. Only one kind of library
# is installed at a time: the static one names what it needs among its Libs, the shared one already knows.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(VKONNX_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
    set(VKONNX_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
    set(VKONNX_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
    file(RELATIVE_PATH up /${pkgconfig_dir} /)
    string(REGEX REPLACE "/$" "" up ${up})
    set(VKONNX_PC_PREFIX "\${pcfiledir}/${up}")
    set(VKONNX_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(VKONNX_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
set(VKONNX_PC_CFLAGS "")
set(VKONNX_PC_LIBS "")
set(VKONNX_PC_C_REQUIRES Requires.private)
if(type STREQUAL SHARED_LIBRARY)
    set(VKONNX_PC_CFLAGS " -DVKONNX_SHARED")
else()
    set(VKONNX_PC_C_REQUIRES Requires)
    foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
        if(library MATCHES "^(stdc\\+\\+|c\\+\\+|m)$")  # what a compiler of C leaves out
            string(APPEND VKONNX_PC_LIBS " -l${library}")
        endif()
    endforeach()
    string(APPEND VKONNX_PC_LIBS " ${CMAKE_THREAD_LIBS_INIT}")
    foreach(library IN LISTS CMAKE_DL_LIBS)
        string(APPEND VKONNX_PC_LIBS " -l${library}")
    endforeach()
    string(REGEX REPLACE " +" " " VKONNX_PC_LIBS "${VKONNX_PC_LIBS}")
endif()
foreach(library IN LISTS libraries)
    string(REPLACE _ - file ${library}.pc)
    configure_file(${templates}/${file}.in ${PROJECT_BINARY_DIR}/packaging/${file} @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/packaging/${file} DESTINATION ${pkgconfig_dir} COMPONENT development)
endforeach()

if(TARGET vkonnx_c_bundle)
    include(${templates}/install_bundle.cmake)
endif()

# The plug-in of ONNX Runtime is loaded by its path, and nothing is built against it.
if(TARGET vkonnx_onnxruntime)
    set_target_properties(vkonnx_onnxruntime PROPERTIES INSTALL_RPATH ${origin})
    install(TARGETS vkonnx_onnxruntime
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT onnxruntime
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT onnxruntime)
endif()

foreach(tool vkonnx-cli vkonnx-test vkonnx-bench)
    if(TARGET ${tool})
        file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
        set_target_properties(${tool} PROPERTIES INSTALL_RPATH ${origin}/${to_libraries})
        install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
    endif()
endforeach()
