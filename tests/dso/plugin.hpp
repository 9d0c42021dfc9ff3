// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_DSO_PLUGIN_HPP
#define LINN_TESTS_DSO_PLUGIN_HPP

/// @file
/// What host and plugins exchange, and what a plugin offers. No type of Linn's: a plugin may be built with
/// other settings than the host.

#include <cstddef>
#include <cstdint>

/// External linkage, so that it is one type everywhere.
struct exchanged_item {
    std::size_t number;
    char bytes[56];
};

/// What a plugin offers. Each function may be called from any thread.
struct plugin_functions {
    exchanged_item* (*make)(std::size_t number);
    void (*destroy)(exchanged_item* item);
    std::size_t (*live)();
    std::size_t (*trim)();
    void (*work)(); ///< nodes of containers, in a thread of its own
    /// How many of the objects that the static initialisers of the plugin made, one of them in a thread
    /// that it started, are as they were made.
    std::size_t (*made_at_start)();
    /// Where the destructor of a static object of the plugin, run by `dlclose` or at exit, says that it freed what
    /// the initialisers made. Null: nowhere.
    void (*say_when_gone)(std::size_t* objects_freed);
    /// Where the plugin's code lies; equal before and after a reload when the loader takes the same place.
    std::uintptr_t (*place)();
    /// Its `linn::pool_resource` and its `linn::recycler<exchanged_item>`, for a host of the same build.
    void* (*resource)();
    void* (*recycler)();
    /// A `linn::buffer` of operator new whose pool is gone, for the same.
    void* (*buffer)();
};

using get_plugin_functions = const plugin_functions*();

#endif
