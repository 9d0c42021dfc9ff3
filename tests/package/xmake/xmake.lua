-- SPDX-License-Identifier: Apache-2.0
add_repositories("linn-repo $(env LINN_REPO)")
add_requires("linn")

target("consumer")
    set_kind("binary")
    set_languages("c++20")
    add_files("consumer.cpp")
    add_packages("linn")
