// SPDX-License-Identifier: Apache-2.0
template <class T>
T* generate() {
    return new T[1000]();
}
