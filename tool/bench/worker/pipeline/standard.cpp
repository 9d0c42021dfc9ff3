// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <memory>

namespace linn::tool::worker {
namespace {

struct make_shared_way {
    static std::shared_ptr<packet> create() { return std::make_shared<packet>(); }
};

constexpr variant all[] = {
    {"pipeline", "make_shared", &run_pipeline<make_shared_way>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
