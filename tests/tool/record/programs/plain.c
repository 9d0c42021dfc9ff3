/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C, with no C++ runtime until it opens a file that needs one. */
#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    for (int i = 0; i != 10; ++i) {
        void* volatile p = malloc(110001);
        free(p);
    }
    if (argc > 1) {
        void* const file = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (file == NULL) {
            return 1;
        }
        int (*const work)(void) = (int (*)(void))dlsym(file, "work_in_cxx");
        const int result = work();
        dlclose(file);
        return result;
    }
    return 0;
}
