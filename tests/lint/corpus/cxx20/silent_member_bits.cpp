// SPDX-License-Identifier: Apache-2.0
// Other functions of the class count on the zeros.
#include <memory>
class bitmap {
public:
    explicit bitmap(std::size_t n) : words_(new unsigned long[n]()) {}
    void set(std::size_t i) { words_[i / 64] |= 1UL << i % 64; }

private:
    std::unique_ptr<unsigned long[]> words_;
};
bitmap one(100);
