// SPDX-License-Identifier: Apache-2.0
// bytes: node 256
#include <new>
struct node {
    char key[256]; // member 256
    node* next = nullptr;
};
node* start(void* place) {
    return ::new (place) node(); // finds 256, fix
}
