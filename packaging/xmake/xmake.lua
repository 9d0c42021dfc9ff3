-- SPDX-License-Identifier: Apache-2.0
package("linn")
    set_kind("library", {headeronly = true})
    set_description("Object memory pools for C++20")
    set_license("Apache-2.0")

    add_urls("@URL@")
    add_versions("@VERSION@", "@SHA256@")

    if is_plat("linux", "bsd") then
        add_syslinks("pthread")
    end

    on_install(function (package)
        os.cp("include/linn", package:installdir("include"))
    end)

    on_test(function (package)
        assert(package:check_cxxsnippets({test = [[
            int* test() { return linn::pool<int>::create(42); }
        ]]}, {configs = {languages = "c++20"}, includes = "linn/pool.hpp"}))
    end)
package_end()
