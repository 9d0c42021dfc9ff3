// SPDX-License-Identifier: Apache-2.0
// Functions of the standard libraries that write as much as a vector or string holds.
#include <stdio.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <istream>
#include <numeric>
#include <string>
#include <vector>
std::vector<float> doubled(const std::vector<float>& from) {
    std::vector<float> v;
    v.resize(from.size()); // overwrites 4 each, no fix, removable
    std::transform(from.begin(), from.end(), v.begin(), [](float x) { return 2 * x; });
    return v;
}
std::vector<float> copied(const float* from, std::size_t n) {
    std::vector<float> v(n);                        // overwrites 4 each, no fix, removable
    std::memcpy(v.data(), from, n * sizeof(float)); // writer
    return v;
}
std::string loaded(std::istream& in, std::size_t n) {
    std::string text(n, '\0'); // the read is not checked
    in.read(&text[0], n);
    return text;
}
std::vector<std::uint8_t> read_all(FILE* in, std::size_t n) {
    std::vector<std::uint8_t> v(n); // overwrites 1 each, no fix, removable
    if (fread(v.data(), 1, n, in) != n) {
        return {};
    }
    return v;
}
std::vector<int> of_ranges(const std::vector<int>& from) {
    std::vector<int> v(from.size());    // overwrites 4 each, no fix, removable
    std::ranges::copy(from, v.begin()); // writer
    return v;
}
std::vector<int> for_each(std::size_t n) {
    std::vector<int> v(n);                                        // overwrites 4 each, no fix, removable
    std::for_each(v.begin(), v.end(), [](int& one) { one = 1; }); // writer
    return v;
}
void assigned(std::string& text, const char* from, std::size_t n) {
    text.resize(n);       // overwrites 1 each, no fix, removable
    text.assign(from, n); // writer
}
