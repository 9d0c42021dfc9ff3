// SPDX-License-Identifier: Apache-2.0
#include <memory>
std::shared_ptr<char[4096]> make() {
    return std::make_shared<char[4096]>(); // finds 4096, note
}
