# Installs headers, libraries, tools, a CMake package and pkg-config files. All paths are relative
# to the installed files, so an installed tree may be moved.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY tputwin_libraries)
foreach(library ${libraries})
  get_target_property(type ${library} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
endforeach()
list(REMOVE_ITEM libraries bmnet)
install(TARGETS bmnet EXPORT tputwinTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
install(TARGETS ${libraries} EXPORT tputwinTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

get_property(tools DIRECTORY src/tools PROPERTY BUILDSYSTEM_TARGETS)
foreach(tool ${tools})
  get_target_property(type ${tool} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/src/generated/libbmodel/bmodel.pb.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/libbmodel)
# Programs that add parameters of their layers, or write ONNX files, generate the messages from the
# .proto files. Programs that read tables use the generated headers.
foreach(name bmnet_caffe calibration common_calibration tputwin_onnx)
  install(FILES src/bmnet/proto/${name}.proto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bmnet)
endforeach()
foreach(name bmnet tputwin_caffe calibration common_calibration)
  install(FILES ${PROJECT_BINARY_DIR}/src/generated/bmnet/${name}.pb.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bmnet)
endforeach()

# The vendor's programs link only -lbmnet, even if they use libraries that it depends on.
file(WRITE ${PROJECT_BINARY_DIR}/libbmnet.so.script
  "/* GNU ld script: the library, and those of its interface that a program uses */\n"
  "INPUT(libbmnet.so.${PROJECT_VERSION_MAJOR} AS_NEEDED(-lbmnet_caffe_pb -lcpu-plugin))\n")
install(FILES ${PROJECT_BINARY_DIR}/libbmnet.so.script DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RENAME libbmnet.so)

# find_package(tputwin) provides the targets tputwin::bmkernel, tputwin::bmruntime, ...
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tputwin)
install(EXPORT tputwinTargets FILE tputwinTargets.cmake NAMESPACE tputwin::
  DESTINATION ${package_dir})
file(WRITE ${PROJECT_BINARY_DIR}/tputwinConfig.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/tputwinTargets.cmake)\n"
  "include(\${CMAKE_CURRENT_LIST_DIR}/okkernel.cmake)\n"
  "# A host that loads modules calls no function of it, and some compilers pass --as-needed.\n"
  "set_property(TARGET tputwin::tpukernel APPEND PROPERTY INTERFACE_LINK_LIBRARIES\n"
  "  \"-Wl,--push-state,--no-as-needed,$<TARGET_FILE:tputwin::tpukernel>,--pop-state\")\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tputwinConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tputwinConfig.cmake
  ${PROJECT_BINARY_DIR}/tputwinConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/okkernel.cmake DESTINATION ${package_dir})

# find_package(libsophon) sets the variables that the vendor documents for programs of the BM1684X:
# folders, and the_libNAME.so for each of the vendor's libraries that is installed.
file(RELATIVE_PATH up_to_prefix_from_package /p/${CMAKE_INSTALL_LIBDIR}/cmake/libsophon /p)
file(WRITE ${PROJECT_BINARY_DIR}/libsophon-config.cmake
"get_filename_component(libsophon_prefix \${CMAKE_CURRENT_LIST_DIR}/${up_to_prefix_from_package} ABSOLUTE)
set(LIBSOPHON_INCLUDE_DIRS \${libsophon_prefix}/${CMAKE_INSTALL_INCLUDEDIR})
set(LIBSOPHON_LIB_DIRS \${libsophon_prefix}/${CMAKE_INSTALL_LIBDIR})
foreach(name bmrt bmlib)
  set(the_lib\${name}.so \${LIBSOPHON_LIB_DIRS}/lib\${name}.so)
endforeach()
")
install(FILES ${PROJECT_BINARY_DIR}/libsophon-config.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/libsophon)

# Writes the pkg-config file of the library that -lNAME links. `requires` lists the libraries of
# tputwin that it needs.
file(RELATIVE_PATH up_to_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" up_to_prefix ${up_to_prefix})
function(tputwin_pkg_config name description requires libs)
  list(JOIN ARGN " " cflags)
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.pc
"prefix=\${pcfiledir}/${up_to_prefix}
libdir=\${pcfiledir}/..
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: ${name}
Description: ${description}
Version: ${PROJECT_VERSION}
Requires: ${requires}
Libs: -L\${libdir} ${libs}
Cflags: -I\${includedir} ${cflags}
")
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

list(TRANSFORM TPUTWIN_STATIC_DEPENDENCIES PREPEND -l OUTPUT_VARIABLE static_dependencies)
list(JOIN static_dependencies " " static_dependencies)
tputwin_pkg_config(tputwin "Simulator of tensor processors" "" "-ltputwin")
tputwin_pkg_config(bmlib "OKKernel and bmlib for the BM1684 on tputwin" "tputwin"
  "-lbmlib -lm -ldl -pthread" -DUSING_CMODEL -fno-strict-aliasing)
tputwin_pkg_config(tpukernel "TPUKernel and bmlib for the BM1684X on tputwin" "tputwin"
  "-Wl,--push-state,--no-as-needed,-ltpukernel,--pop-state -lbmlib -lm -ldl -pthread" "-DUSING_CMODEL -fno-strict-aliasing -fsigned-char")
tputwin_pkg_config(bmrt "bmrt, the runtime of bmodels for the BM1684X, on tputwin" "bmlib" "-lbmrt")
tputwin_pkg_config(bmkernel "BMKernel API for the BM1880 on tputwin" "tputwin" "-lbmkernel")
tputwin_pkg_config(bmodel "bmodel containers on tputwin" "tputwin" "-lbmodel")
tputwin_pkg_config(bmutils "BMNNSDK utilities on tputwin" "tputwin" "-lbmutils")
tputwin_pkg_config(bmblas "BMBLAS on tputwin" "bmkernel" "-lbmblas")
tputwin_pkg_config(bmruntime "BMRuntime API for the BM1880 on tputwin" "bmkernel bmodel"
  "-lbmruntime")
tputwin_pkg_config(cpu-plugin "CPU operators of BMNet on tputwin" "tputwin"
  "-lcpu-plugin -lprotobuf -lglog -lgflags" "-I\${includedir}/bmnet")
tputwin_pkg_config(bmnet "BMNet compiler for the BM1880 on tputwin" "cpu-plugin bmruntime"
  "-lbmnet -lbmnet_caffe_pb")
tputwin_pkg_config(bmkernel-static "BMKernel API on tputwin, static" ""
  "-lbmkernel-static ${static_dependencies}")
tputwin_pkg_config(bmruntime-static "BMRuntime API on tputwin, static" "bmkernel-static"
  "-lbmruntime-static")

# Makefiles use tputwin-config.
file(RELATIVE_PATH up_to_prefix_from_bin /p/${CMAKE_INSTALL_BINDIR} /p)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tputwin-config.in ${PROJECT_BINARY_DIR}/tputwin-config @ONLY)
install(PROGRAMS ${PROJECT_BINARY_DIR}/tputwin-config DESTINATION ${CMAKE_INSTALL_BINDIR})
