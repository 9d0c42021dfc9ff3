// SPDX-License-Identifier: Apache-2.0
// Containers and allocators of what they cannot hold are refused in one sentence, which comes first; what the standard library
// says after it is its own. That they keep Key and T deducible shows below.
// LINES: 145
// CASE list_const: error: .*linn::allocator: its type must not be const, volatile, a reference or a function
// CASE list_reference: error: .*linn::allocator: its type must not be const, volatile, a reference or a function
// CASE set_const: error: .*linn: the key of a container must not be a reference, a function or, in a set, const
// CASE set_reference: error: .*linn: the key of a container must not be a reference
// CASE unordered_set_const: error: .*linn: the key of a container must not be a reference
// CASE map_reference: error: .*linn: the key of a container must not be a reference
// CASE unordered_map_reference: error: .*linn: the key of a container must not be a reference
// CASE local_const: error: .*linn::local_allocator: its type must not be const, volatile, a reference or a function
// CASE local_reference: error: .*linn::local_allocator: its type must not be const, volatile, a reference or a function
#include <linn/containers.hpp>
#include <linn/local_allocator.hpp>
#include <linn/local_pool.hpp>

#include <functional>
#include <list>
#include <map>
#include <type_traits>
#include <utility>

using small_pool = linn::local_pool<linn::node_storage<64>>;

void use([[maybe_unused]] small_pool& pool) {
#if defined(LINN_CASE_list_const)
    linn::list<const int> all;
    all.push_back(1);
#elif defined(LINN_CASE_list_reference)
    linn::list<int&> all;
#elif defined(LINN_CASE_set_const)
    linn::set<const int> all;
    all.insert(1);
#elif defined(LINN_CASE_set_reference)
    linn::set<int&> all;
#elif defined(LINN_CASE_unordered_set_const)
    linn::unordered_set<const int> all;
#elif defined(LINN_CASE_map_reference)
    linn::map<int&, int> all;
#elif defined(LINN_CASE_unordered_map_reference)
    linn::unordered_map<int&, int> all;
#elif defined(LINN_CASE_local_const)
    std::list<const int, linn::local_allocator<const int, small_pool>> all{pool};
#elif defined(LINN_CASE_local_reference)
    linn::local_allocator<int&, small_pool> a{pool};
#endif
}

struct declared;
using later = linn::map<declared, declared>; // to name it is fine
static_assert(
    std::is_same_v<linn::map<int, char>,
                   std::map<int, char, std::less<int>, linn::allocator<std::pair<const int, char>>>>);

template <class Key, class T>
void deduce(const linn::map<Key, T>&, const linn::unordered_map<Key, T>&) {}
template <class Key>
void deduce(const linn::set<Key>&, const linn::unordered_set<Key>&) {}

void use_deduced() {
    deduce(linn::map<int, char>{}, linn::unordered_map<int, char>{});
    deduce(linn::set<int>{}, linn::unordered_set<int>{});
    const linn::map<const int, const char> constant{{1, 'a'}};
    static_cast<void>(constant);
}
