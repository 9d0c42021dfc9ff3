// SPDX-License-Identifier: Apache-2.0
#include "bench/worker/measure.hpp"
#include "unit.hpp"

namespace linn::tool::inputs_tests {

TEST_CASE("the first integers are those of the published generator") {
    // The first outputs of mt19937(5489); over all of int the distribution shifts them by 2^31.
    constexpr std::uint32_t golden[] = {3'499'211'612u, 581'869'302u, 3'890'346'734u, 3'586'334'585u,
                                        545'404'204u};
    worker::published_integers generate;
    for (const std::uint32_t raw : golden) {
        CHECK(generate() == static_cast<std::int32_t>(static_cast<std::int64_t>(raw) - 2'147'483'648));
    }
}

} // namespace linn::tool::inputs_tests
