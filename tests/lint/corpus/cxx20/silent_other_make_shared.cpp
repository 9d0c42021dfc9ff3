// SPDX-License-Identifier: Apache-2.0
// Not the one of a library that is known.
struct page {
    char data[4096];
    int pins = 0;
};
template <class T>
T* make_shared() {
    return new T;
}
page* a = make_shared<page>();
