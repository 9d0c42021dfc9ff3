// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_LINN_HPP
#define LINN_LINN_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

/// @file
/// All of Linn. Including the one header that is needed compiles faster.

// IWYU pragma: begin_exports
#include <linn/allocator.hpp>
#include <linn/buffer_pool.hpp>
#include <linn/containers.hpp>
#include <linn/default_init_allocator.hpp>
#include <linn/fixed_pool.hpp>
#include <linn/forward_list.hpp>
#include <linn/handle_pool.hpp>
#include <linn/list.hpp>
#include <linn/local_allocator.hpp>
#include <linn/local_pool.hpp>
#include <linn/map.hpp>
#include <linn/memory.hpp>
#include <linn/memory_resource.hpp>
#include <linn/misuse.hpp>
#include <linn/node_types.hpp>
#include <linn/observer.hpp>
#include <linn/options.hpp>
#include <linn/owning_ptr.hpp>
#include <linn/pool.hpp>
#include <linn/pooled.hpp>
#include <linn/recycler.hpp>
#include <linn/set.hpp>
#include <linn/statistics.hpp>
#include <linn/unordered_map.hpp>
#include <linn/unordered_set.hpp>
#include <linn/version.hpp>
#include <linn/zero_fill.hpp>
// IWYU pragma: end_exports

#endif
#endif
