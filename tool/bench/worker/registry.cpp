// SPDX-License-Identifier: Apache-2.0
#include "contender.hpp"

#include <array>

namespace linn::tool::worker {

const contender* find_contender(std::string_view id) {
    static const std::array all{general_contender(),          pmr_unsynchronized_contender(),
                                pmr_synchronized_contender(), boost_contender(),
                                lecture_contender(),          linn_contender()};
    for (const contender& c : all)
        if (c.id == id)
            return &c;
    return nullptr;
}

} // namespace linn::tool::worker
