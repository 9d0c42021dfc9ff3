// SPDX-License-Identifier: Apache-2.0
/// @file
/// The module `linn`: every public name, for `import linn;`. Macros are not part of a module: for `LINN_VERSION_MAJOR` include
/// <linn/version.hpp>, and what <linn/config.hpp> lists is set where this file is compiled, for the whole program.
/// scripts/lint/module.py compares the names with the headers.
module;

#include <linn/linn.hpp>

export module linn;

export namespace linn {

// <linn/allocator.hpp>
using linn::allocator;

// <linn/buffer_pool.hpp>
using linn::buffer;
using linn::buffer_options;
using linn::buffer_pool;
using linn::buffer_statistics;

// <linn/default_init_allocator.hpp>
using linn::default_init_allocator;

// <linn/fixed_pool.hpp>
using linn::fixed_pool;

// <linn/forward_list.hpp>
using linn::forward_list;

// <linn/handle_pool.hpp>
using linn::handle_options;
using linn::handle_pool;
using linn::pool_handle;

// <linn/list.hpp>
using linn::list;

// <linn/local_allocator.hpp>
using linn::local_allocator;
using linn::node_slot;
using linn::node_storage;

// <linn/local_pool.hpp>
using linn::local_pool;

// <linn/map.hpp>
using linn::map;
using linn::multimap;

// <linn/memory.hpp>
using linn::default_options;
using linn::make_shared;
using linn::make_shared_for_overwrite;
using linn::make_unique;
using linn::make_unique_for_overwrite;
using linn::pool_delete;
using linn::unique_ptr;

// <linn/memory_resource.hpp>
using linn::default_pool_resource;
using linn::pool_resource;
using linn::pool_resource_options;

// <linn/misuse.hpp>
using linn::print_misuse;
using linn::set_misuse_handler;

// <linn/node_types.hpp>
using linn::node_type;
using linn::node_types;
using linn::rebind_container;

// <linn/observer.hpp>
using linn::print_pool_event;
using linn::set_pool_observer;

// <linn/options.hpp>
using linn::pool_options;
using linn::survivors;

// <linn/owning_ptr.hpp>
using linn::base_delete;
using linn::base_ptr;
using linn::make_unique_in;
using linn::pool_delete_in;
using linn::try_make_unique_in;
using linn::unique_ptr_in;

// <linn/pool.hpp>
using linn::pool;

// <linn/pooled.hpp>
using linn::pooled;

// <linn/recycler.hpp>
using linn::recycle_delete;
using linn::recycler;
using linn::recycler_options;
using linn::recycler_statistics;

// <linn/set.hpp>
using linn::multiset;
using linn::set;

// <linn/statistics.hpp>
using linn::check_pools;
using linn::leak_report;
using linn::openmetrics_content_type;
using linn::report_leaks_at_exit;
using linn::statistics;
using linn::to_json;
using linn::to_openmetrics;
using linn::to_table;

// <linn/types/huge_page_use.hpp>
using linn::huge_page_use;

// <linn/types/misuse.hpp>
using linn::misuse;
using linn::misuse_handler;
using linn::misuse_kind;
using linn::to_string;

// <linn/types/pool_event.hpp>
using linn::pool_event;
using linn::pool_event_kind;
using linn::pool_observer;

// <linn/types/pool_statistics.hpp>
using linn::pool_statistics;

// <linn/types/value_initialization.hpp>
using linn::value_initialization_fills;
using linn::value_initialize;
using linn::value_initialize_t;
using linn::zero_fill_intended;

// <linn/unordered_map.hpp>
using linn::unordered_map;
using linn::unordered_multimap;

// <linn/unordered_set.hpp>
using linn::unordered_multiset;
using linn::unordered_set;

// <linn/zero_fill.hpp>
using linn::value_initialization_fill;

} // namespace linn
