// SPDX-License-Identifier: Apache-2.0
template <class T>
T* generate() {
    return new T();
}
int* a = generate<int>();
long* b = generate<long>();
