// SPDX-License-Identifier: Apache-2.0
#include "variant.hpp"

namespace linn::tool::worker {

const variant* find_variant(std::string_view scenario, std::string_view name) {
    for (const variants* file = variants::first(); file != nullptr; file = file->next()) {
        for (const variant& v : file->here()) {
            if (v.scenario == scenario && v.name == name) {
                return &v;
            }
        }
    }
    return nullptr;
}

} // namespace linn::tool::worker
