// SPDX-License-Identifier: Apache-2.0
// A program in C: no C++ runtime is there, before the library or after it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node* next;
    char text[40];
};

__attribute__((noinline, used)) struct node* site_in_c(void) {
    struct node* n = malloc(sizeof *n);
    __asm__ volatile("" : "+r"(n) : : "memory");
    return n;
}

int main(void) {
    struct node* list = NULL;
    for (int i = 0; i != 1000; ++i) {
        struct node* const n = site_in_c();
        snprintf(n->text, sizeof n->text, "node %d", i);
        n->next = list;
        list = n;
    }
    for (int i = 999; list != NULL; --i) {
        char text[40];
        snprintf(text, sizeof text, "node %d", i);
        if (strcmp(list->text, text) != 0) {
            return 1;
        }
        struct node* const next = list->next;
        free(list);
        list = next;
    }
    puts("ok");
    return 0;
}
