# SPDX-License-Identifier: Apache-2.0
"""A project installs and exports a static library that uses Linn inside. The exported file names the threads if Linn is a folder of
the project, and linn::linn if the project found it installed. The project can install linn_compiled with it."""
import package

LIBRARY = """cmake_minimum_required(VERSION 3.16)
project(inner LANGUAGES CXX)
find_package(linn QUIET)
if(NOT linn_FOUND)
  add_subdirectory(${LINN_SOURCE} linn)
endif()
add_library(inner STATIC inner.cpp)
target_link_libraries(inner PRIVATE linn::linn ${COMPILED})
install(TARGETS inner ${COMPILED} EXPORT inner-targets)
install(EXPORT inner-targets NAMESPACE inner:: DESTINATION lib/cmake/inner)
export(EXPORT inner-targets)
file(WRITE ${CMAKE_BINARY_DIR}/inner-config.cmake "include(CMakeFindDependencyMacro)\\n"
     "find_dependency(${NEEDED})\\ninclude(\\${CMAKE_CURRENT_LIST_DIR}/inner-targets.cmake)\\n")
install(FILES ${CMAKE_BINARY_DIR}/inner-config.cmake DESTINATION lib/cmake/inner)
"""
INNER = """#include <linn/pool.hpp>
int half(int number) {
    int* object = linn::pool<int>::create(number);
    const int result = *object / 2;
    linn::pool<int>::destroy(object);
    return result;
}
"""
USER = """cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES CXX)
find_package(inner REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE inner::inner)
"""
C_USER = "cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES C)\nfind_package(inner REQUIRED)\n"


def main():
    work, compiler = package.start()
    installed = work / "linn"
    package.run("cmake", "-S", package.ROOT, "-B", work / "library", "-DLINN_LIBRARY_ONLY=ON", f"-DCMAKE_CXX_COMPILER={compiler}")
    package.run("cmake", "--install", work / "library", "--prefix", installed)
    for folder, files in (("inner", {"CMakeLists.txt": LIBRARY, "inner.cpp": INNER}),
                          ("c_user", {"CMakeLists.txt": C_USER}),
                          ("user", {"CMakeLists.txt": USER, "user.cpp": "int half(int);\nint main() { return half(84) == 42 ? 0 : 1; }\n"})):
        for name, text in files.items():
            package.write(work / folder / name, text)
    for needed, prefix, compiled in (("Threads", "", ""), ("linn", installed, ""), ("linn", installed, "linn_compiled")):
        build = work / f"build-{needed}-{compiled}"
        place = build / "prefix"
        options = [f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF"]
        package.run("cmake", "-S", work / "inner", "-B", build, *options, f"-DLINN_SOURCE={package.ROOT}", f"-DNEEDED={needed}",
                    f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCOMPILED={compiled}")
        package.run("cmake", "--build", build)
        package.run("cmake", "--install", build, "--prefix", place)
        if names := {file.name for file in place.rglob("*linn*")} - {f"lib{compiled}.a"}:
            package.fail(f"parts of Linn are installed too: {names}")
        package.run("cmake", "-S", work / "c_user", "-B", build / "c_user", *options, f"-DCMAKE_PREFIX_PATH={place};{prefix}")
        package.run("cmake", "-S", work / "user", "-B", build / "user", *options, f"-DCMAKE_PREFIX_PATH={place};{prefix}")
        package.run("cmake", "--build", build / "user")
        package.run(build / "user/user")


main()
