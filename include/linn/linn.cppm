// SPDX-License-Identifier: Apache-2.0
/// @file
/// The module `linn`: every public name, for `import linn;`. Macros are not part of a module: for `LINN_VERSION_MAJOR` include
/// <linn/version.hpp>, and what <linn/config.hpp> lists is set where this file is compiled, for the whole program.
/// scripts/lint/module.py compares the names with the headers.
module;

#include <linn/linn.hpp>

export module linn;

export namespace linn {
using linn::allocator;
using linn::base_delete;
using linn::base_ptr;
using linn::buffer;
using linn::buffer_options;
using linn::buffer_pool;
using linn::buffer_statistics;
using linn::check_pools;
using linn::default_init_allocator;
using linn::default_options;
using linn::default_pool_resource;
using linn::fixed_pool;
using linn::forward_list;
using linn::handle_options;
using linn::handle_pool;
using linn::huge_page_use;
using linn::leak_report;
using linn::list;
using linn::local_allocator;
using linn::local_pool;
using linn::make_shared;
using linn::make_shared_for_overwrite;
using linn::make_unique;
using linn::make_unique_for_overwrite;
using linn::make_unique_in;
using linn::map;
using linn::misuse;
using linn::misuse_handler;
using linn::misuse_kind;
using linn::multimap;
using linn::multiset;
using linn::node_slot;
using linn::node_storage;
using linn::node_type;
using linn::node_types;
using linn::openmetrics_content_type;
using linn::pool;
using linn::pool_delete;
using linn::pool_delete_in;
using linn::pool_event;
using linn::pool_event_kind;
using linn::pool_handle;
using linn::pool_observer;
using linn::pool_options;
using linn::pool_resource;
using linn::pool_resource_options;
using linn::pool_statistics;
using linn::pooled;
using linn::print_misuse;
using linn::print_pool_event;
using linn::rebind_container;
using linn::recycle_delete;
using linn::recycler;
using linn::recycler_options;
using linn::recycler_statistics;
using linn::report_leaks_at_exit;
using linn::set;
using linn::set_misuse_handler;
using linn::set_pool_observer;
using linn::statistics;
using linn::survivors;
using linn::to_json;
using linn::to_openmetrics;
using linn::to_string;
using linn::to_table;
using linn::try_make_unique_in;
using linn::unique_ptr;
using linn::unique_ptr_in;
using linn::unordered_map;
using linn::unordered_multimap;
using linn::unordered_multiset;
using linn::unordered_set;
using linn::value_initialization_fill;
using linn::value_initialization_fills;
using linn::value_initialize;
using linn::value_initialize_t;
using linn::zero_fill_intended;
} // namespace linn
