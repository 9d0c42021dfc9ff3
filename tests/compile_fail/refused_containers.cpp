// SPDX-License-Identifier: Apache-2.0
// Containers and allocators of what they cannot hold are refused in one sentence, which comes first; what the standard library
// says after it is its own. That they keep Key and T deducible shows below.
// LINES: 145
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
#if defined(LINN_CASE_list_const) // linn::allocator: its type must not be const, volatile, a reference
    linn::list<const int> all;
    all.push_back(1);
#elif defined(LINN_CASE_list_reference) // linn::allocator: its type must not be const, volatile, a reference
    linn::list<int&> all;
#elif defined(LINN_CASE_set_const)      // linn: the key of a container must not be a reference, a function
    linn::set<const int> all;
    all.insert(1);
#elif defined(LINN_CASE_set_reference)  // linn: the key of a container must not be a reference
    linn::set<int&> all;
#elif defined(LINN_CASE_unordered_set_const)     // linn: the key of a container must not be a reference
    linn::unordered_set<const int> all;
#elif defined(LINN_CASE_map_reference)           // linn: the key of a container must not be a reference
    linn::map<int&, int> all;
#elif defined(LINN_CASE_unordered_map_reference) // linn: the key of a container must not be a reference
    linn::unordered_map<int&, int> all;
#elif defined(LINN_CASE_local_const)     // linn::local_allocator: its type must not be const, volatile
    std::list<const int, linn::local_allocator<const int, small_pool>> all{pool};
#elif defined(LINN_CASE_local_reference) // linn::local_allocator: its type must not be const, volatile
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
