// SPDX-License-Identifier: Apache-2.0
#include "shared_ptr.hpp"

#include <memory>

namespace linn::tool::worker {
namespace {

struct make_shared_way : owning_way {
    static std::shared_ptr<packet> create() { return std::make_shared<packet>(); }
};

/// As most programs write it: without a constructor the packet is filled with zeros first.
struct make_shared_filled_way : owning_way {
    static std::shared_ptr<plain_packet> create() { return std::make_shared<plain_packet>(); }
};

/// Two general allocations, for the packet and for the control block.
struct with_new_way : owning_way {
    static std::shared_ptr<packet> create() { return std::shared_ptr<packet>(new packet); }
};

struct new_delete_way {
    static packet* create() { return new packet; }
    static void destroy(packet*& p) { delete p; }
};

constexpr variant all[] = {
    {"shared-ptr", "make_shared", &run_shared_ptr<make_shared_way>},
    {"shared-ptr", "make_shared_filled", &run_shared_ptr<make_shared_filled_way>},
    {"shared-ptr", "shared_ptr_with_new", &run_shared_ptr<with_new_way>},
    {"shared-ptr", "new_delete", &run_shared_ptr<new_delete_way>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
