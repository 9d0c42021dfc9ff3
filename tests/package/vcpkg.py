# SPDX-License-Identifier: Apache-2.0
"""vcpkg: the manifest has what vcpkg asks for, and the portfile's steps make a package that a consumer finds.

vcpkg itself is a binary from elsewhere: stubs of its functions stand in for it, which run the same CMake steps.
"""
import json
import re

import package

STUBS = r"""
cmake_minimum_required(VERSION 3.16)
set(CURRENT_PACKAGES_DIR ${WORK}/packages)
set(PORT linn)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${status}")
  endif()
endfunction()
function(vcpkg_download_distfile variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILENAME;SHA512" "URLS")
  file(DOWNLOAD ${arg_URLS} ${WORK}/${arg_FILENAME} EXPECTED_HASH SHA512=${arg_SHA512} STATUS status)
  if(NOT status MATCHES "^0;")
    message(FATAL_ERROR "download: ${status}")
  endif()
  set(${variable} ${WORK}/${arg_FILENAME} PARENT_SCOPE)
endfunction()
function(vcpkg_extract_source_archive variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCHIVE" "")
  file(MAKE_DIRECTORY ${WORK}/source)
  execute_process(COMMAND ${CMAKE_COMMAND} -E tar xzf ${arg_ARCHIVE} WORKING_DIRECTORY ${WORK}/source)
  file(GLOB folder ${WORK}/source/*)
  set(${variable} ${folder} PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK}/${VCPKG_BUILD_TYPE} ${arg_OPTIONS} -DCMAKE_CXX_COMPILER=${COMPILER})
endfunction()
function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --install ${WORK}/${VCPKG_BUILD_TYPE} --prefix ${CURRENT_PACKAGES_DIR})
endfunction()
# vcpkg wants share/<package>, moves the files there and corrects the number of folders up to the prefix.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME})
  file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*.cmake)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    string(REPLACE "/../../../" "/../../" text "${text}")
    string(REPLACE [[get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)]] [[get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)
get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)]] text "${text}")
    file(WRITE ${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME}/${name} "${text}")
  endforeach()
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/share/cmake)
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/linn RENAME copyright)
endfunction()
include(${PORTFILE})
"""


def check_manifest(port):
    manifest = json.loads((port / "vcpkg.json").read_text(encoding="utf-8"))
    known = {"name", "version", "description", "homepage", "license", "supports", "dependencies"}
    if set(manifest) - known or manifest["name"] != port.name or manifest["version"] != package.version():
        package.fail(f"vcpkg.json: {manifest}")
    called = re.findall(r"^(vcpkg_cmake_\w+)\(", (port / "portfile.cmake").read_text(encoding="utf-8"), re.MULTILINE)
    needed = {"vcpkg-cmake-config" if "config" in name.split("_")[2:] else "vcpkg-cmake" for name in called}
    if {entry["name"] for entry in manifest["dependencies"] if entry["host"]} != needed:
        package.fail(f"the portfile calls {called}, and the manifest depends on {manifest['dependencies']}")


def main():
    work, compiler = package.start()
    stubs = package.write(work / "stubs.cmake", STUBS)
    ports = {"tree": package.ROOT / "packaging/vcpkg/ports/linn", "release": package.release(work) / "vcpkg/ports/linn"}
    for name, port in ports.items():
        check_manifest(port)
        here = work / name
        package.run("cmake", f"-DWORK={here}", f"-DCOMPILER={compiler}", f"-DPORTFILE={port / 'portfile.cmake'}", "-P", stubs)
        files = [str(file.relative_to(here / "packages")) for file in (here / "packages").rglob("*") if file.is_file()]
        # What vcpkg's own check after a build complains about.
        wrong = [file for file in files if file.startswith(("debug/", "bin/", "lib/cmake", "share/cmake"))]
        missing = {"share/linn/copyright", "share/linn/usage", "share/linn/linn-config.cmake", "include/linn/linn.hpp",
                   "lib/pkgconfig/linn.pc"} - set(files)
        if wrong or missing:
            package.fail(f"{name}: misplaced {wrong}, missing {missing}")
    package.run("cmake", "-S", package.ROOT / "tests/consumer/installed", "-B", work / "consumer",
                f"-DCMAKE_PREFIX_PATH={work / 'release/packages'}", f"-DCMAKE_CXX_COMPILER={compiler}")
    package.run("cmake", "--build", work / "consumer")
    package.run_consumer(work / "consumer/consumer")


main()
