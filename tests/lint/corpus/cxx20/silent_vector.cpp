// SPDX-License-Identifier: Apache-2.0
// Nobody overwrites them here.
#include <string>
#include <vector>
std::vector<char> a(4096);
std::string b(4096, 0);
