// SPDX-License-Identifier: Apache-2.0
// Everything that the headers have, whether a test uses it or not: so that what none uses is seen. Inline functions are kept by
// an option of the compiler; members of class templates only by naming each.
#include <linn/linn.hpp>

#include <list>
#include <string>

namespace linn::inline LINN_ABI {

template class pool<std::string>;
template class local_pool<std::string>;
template class fixed_pool<std::string, 8>;
template class allocator<std::string>;
template class recycler<std::string>;
template struct pooled<std::string>;
template struct pool_delete<std::string>;

namespace detail {

template class basic_mutex<parking>;
template class biased_lock<platform>;
template class buffer_store<platform, system_buffer_pages>;
template class bypass<platform>;
template class chunk_arena<platform>;
template class class_depot<platform>;
template class depot<platform>;
template class fork_registry<buffer_store<>::core>;
template class idle_core<platform, recycler_core<platform>>;
template class idle_core<platform, buffer_store<>>;
template class idle_fronts<platform>;
template class lock_guard<mutex>;
template class metadata_arena<platform>;
template class pointer_list<system_pages>;
template class pointer_set<system_pages>;
template class recycler_body<std::string, pool<recycler_slot<std::string>>>;
template class registry<platform>;
template class resource_core<platform>;
template class slab_set<system_pages>;
template class thread_index_table<platform>;
template class tracked_blocks<platform>;
template struct brought_pages<system_pages>;
template struct front<platform>;
template struct at_thread_exit<&flush_this_thread<platform>>;
template struct idle_waiter<platform>;
template struct shared_allocator<std::string, std::string>;

} // namespace detail
} // namespace linn::inline LINN_ABI
