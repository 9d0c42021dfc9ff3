// SPDX-License-Identifier: Apache-2.0
#include "standing.hpp"

#include "../../interpose/operators.hpp"
#include "../../interpose/symbol_lookup.hpp"

#include <link.h>

namespace linn::tool::pools {
namespace {

constexpr const char* of_malloc[] = {"malloc", "free", "calloc", "realloc"};

int look_at(dl_phdr_info* file, std::size_t, void* data) noexcept {
    if (preload::is_own_file(*file)) {
        return 1;
    }
    standing& s = *static_cast<standing*>(data);
    const preload::dynamic_symbols symbols{*file};
    for (const char* name : of_malloc) {
        if (symbols.find(name) != nullptr && s.owns_malloc == nullptr) {
            s.owns_malloc = file->dlpi_name;
        }
    }
    for (std::size_t i = 0; i != preload::operator_count; ++i) {
        if (symbols.find(preload::mangled_name(static_cast<preload::operator_name>(i))) == nullptr) {
            continue;
        }
        if (i < static_cast<std::size_t>(preload::operator_name::delete_plain)) {
            s.owns_a_new = true;
        } else if (s.owns_delete == nullptr) {
            s.owns_delete = file->dlpi_name;
        }
    }
    return 0;
}

} // namespace

standing who_stands_before() noexcept {
    standing s;
    ::dl_iterate_phdr(look_at, &s);
    return s;
}

} // namespace linn::tool::pools
