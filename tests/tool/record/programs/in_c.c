/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C, with no C++ runtime until it opens the file that its argument names: a list of nodes, and ten large blocks. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node* next;
    char text[40];
};

/* The recorder calls it to find malloc. */
int dl_iterate_phdr(int (*visit)(struct dl_phdr_info*, size_t, void*), void* data) {
    static __typeof__(&dl_iterate_phdr) next = NULL;
    free(next == NULL ? malloc(100) : NULL);
    *(void**)&next = dlsym(RTLD_NEXT, "dl_iterate_phdr");
    return next(visit, data);
}

/* A call that a plan can name. */
__attribute__((noinline, used)) struct node* site_in_c(void) {
    struct node* n = malloc(sizeof(struct node));
    __asm__ volatile("" : "+r"(n) : : "memory");
    return n;
}

/* Whether a thousand nodes keep their text. */
static int list_is_whole(void) {
    struct node* list = NULL;
    int wrong = 0;
    for (int i = 0; i != 1000; ++i) {
        struct node* const n = site_in_c();
        snprintf(n->text, sizeof n->text, "node %d", i);
        n->next = list;
        list = n;
    }
    for (int i = 999; list != NULL; --i) {
        char text[40];
        struct node* const next = list->next;
        snprintf(text, sizeof text, "node %d", i);
        wrong += strcmp(list->text, text) != 0;
        free(list);
        list = next;
    }
    return wrong == 0;
}

int main(int argc, char** argv) {
    if (!list_is_whole()) {
        return 1;
    }
    for (int i = 0; i != 10; ++i) {
        void* volatile p = malloc(110001);
        free(p);
    }
    if (argc > 1) {
        void* const file = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        int (*work)(void) = NULL;
        if (file == NULL) {
            return 1;
        }
        *(void**)&work = dlsym(file, "work_in_cxx");
        const int result = work();
        dlclose(file);
        return result;
    }
    return 0;
}
