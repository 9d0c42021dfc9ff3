// SPDX-License-Identifier: Apache-2.0
#include <memory>
std::shared_ptr<int[]> make() {
    return std::make_shared<int[]>(100); // finds 400, note
}
