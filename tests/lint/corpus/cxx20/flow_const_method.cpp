// SPDX-License-Identifier: Apache-2.0
// What the method looks at is not known.
// bytes: cache 2052
#include <memory>
class cache {
public:
    bool has(int key) const;

private:
    long entries_[256]; // member 2048
    int used_ = 0;
};
bool use() {
    auto c = std::make_unique<cache>(); // finds 2052, no fix
    return c->has(3);
}
