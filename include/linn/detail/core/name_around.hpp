// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_NAME_AROUND_HPP
#define LINN_DETAIL_CORE_NAME_AROUND_HPP

#include <linn/config.hpp>
#include <linn/detail/core/type_name.hpp>

#include <cstddef>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

/// "make_shared<T>" and the like, spelled out while compiling; arrays as clang writes them, `int[4]`.
template <class T, std::size_t N>
struct name_around {
    char text[N + type_name<T>().size()]{};
    std::size_t size = 0;

    /// @param before with its bracket
    constexpr explicit name_around(const char (&before)[N]) noexcept {
        for (const char c : std::string_view{before, N - 1}) {
            text[size++] = c;
        }
        constexpr std::string_view inside = type_name<T>();
        for (std::size_t i = 0; i != inside.size(); ++i) {
            if (inside.substr(i, 2) != " [") {
                text[size++] = inside[i];
            }
        }
        text[size++] = '>';
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
