// SPDX-License-Identifier: Apache-2.0
struct table {
    int values[64]; // member 256
    bool ready = false;
};
constexpr int sum() {
    table* t = new table(); // finds 259, no fix
    const bool ready = t->ready;
    delete t;
    return ready;
}
static_assert(sum() == 0);
