// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_TYPE_NAME_HPP
#define LINN_DETAIL_CORE_TYPE_NAME_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

template <class T>
constexpr std::string_view decorated_name() noexcept {
    return LINN_DETAIL_FUNCTION_NAME;
}

/// The text around the name, measured once with a type whose name is known.
inline constexpr std::size_t name_prefix = decorated_name<double>().find("double");
inline constexpr std::size_t name_suffix =
    decorated_name<double>().size() - name_prefix - std::string_view{"double"}.size();

/// The name of T as the compiler writes it; needs no RTTI.
template <class T>
constexpr std::string_view type_name() noexcept {
    constexpr std::string_view full = decorated_name<T>();
    return {full.data() + name_prefix, full.size() - name_prefix - name_suffix};
}

/// What statistics and reports call the pool of T. Specialised for types of the library itself that
/// stand for something the user wrote.
template <class T>
inline constexpr std::string_view pool_name = type_name<T>();

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
