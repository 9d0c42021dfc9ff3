// SPDX-License-Identifier: Apache-2.0
// A C++ program: its operator new comes from the C++ runtime, or from whatever is preloaded.
#include <memory>
#include <string>

int main(int count, char**) {
    const auto p = std::make_unique<std::string>(1000, 'x');
    return p->size() == static_cast<std::size_t>(count);
}
