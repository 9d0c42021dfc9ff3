// SPDX-License-Identifier: Apache-2.0
// Containers are not looked at.
#include <string>
#include <vector>
std::vector<char> a(4096);
std::string b(4096, 0);
