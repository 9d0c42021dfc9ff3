// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_DSO_PLUGIN_HPP
#define LINN_TESTS_DSO_PLUGIN_HPP

#include <cstddef>

/// What host and plugins exchange. External linkage, so that it is one type everywhere.
struct exchanged_item {
    std::size_t number;
    char bytes[56];
};

/// What a plugin offers.
struct plugin_functions {
    exchanged_item* (*make)(std::size_t number);
    void (*destroy)(exchanged_item* item);
    std::size_t (*live)();
    std::size_t (*trim)();
    void (*work)(); ///< nodes of containers, in a thread of its own
};

using get_plugin_functions = const plugin_functions*();

#endif
