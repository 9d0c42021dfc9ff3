/* SPDX-License-Identifier: Apache-2.0 */
/* Calls memset so many times, for what is no zero fill of a new block. */
#include <stdlib.h>
#include <string.h>

static char buffer[256];

int main(int argc, char** argv) {
    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; --i) {
        memset(buffer, i, 64 + (size_t)i % 8);
    }
    return 0;
}
