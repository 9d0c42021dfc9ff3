// SPDX-License-Identifier: Apache-2.0
// A program that knows Linn only as a module.
#include <cstdio>
#include <functional>
#include <list>
#include <memory>

import linn;

struct packet {
    int id;
};

// A variable template of the module, specialised by its user.
template <>
inline constexpr linn::pool_options linn::default_options<packet>{.cache_line_padding = true};

int main() {
    packet* one = linn::pool<packet>::create(42);
    const bool created = one->id == 42 && linn::pool<packet>::statistics().live == 1;
    linn::pool<packet>::destroy(one);

    std::list<int, linn::allocator<int>> list{1, 2, 3};
    list.pop_front();
    const linn::map<int, int> map{{1, 2}};
    const std::shared_ptr<packet> shared = linn::make_shared<packet>(7);
    linn::handle_pool<packet> handles;
    auto handle = handles.create(3);
    const bool hashed = std::hash<decltype(handle)>{}(handle) == std::hash<decltype(handle)>{}(handle);
    const bool right = created && list.size() == 2 && map.at(1) == 2 && shared->id == 7 && hashed;
    std::printf("%s\n", right ? "OK" : "wrong");
    return right ? 0 : 1;
}
