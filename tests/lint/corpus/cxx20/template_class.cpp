// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
template <class T, int N>
class ring {
public:
    explicit ring(const T* from) : items_(new T[N]()) { // finds 1024, fix
        std::memcpy(items_.get(), from, N * sizeof(T));
    }

private:
    std::unique_ptr<T[]> items_;
};
const int numbers[256] = {};
ring<int, 16> small(numbers);
ring<int, 256> large(numbers);
