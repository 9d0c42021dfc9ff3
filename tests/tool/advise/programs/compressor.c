/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of a tree in C: one size, many of them, and nothing that a pool of C++ could serve. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* left;
    struct node* right;
    unsigned long weight;
};

static struct node* make_tree(unsigned depth) {
    struct node* made = malloc(sizeof(struct node));
    if (made == NULL) {
        abort();
    }
    made->left = depth == 0 ? NULL : make_tree(depth - 1);
    made->right = depth == 0 ? NULL : make_tree(depth - 1);
    made->weight = depth;
    return made;
}

static unsigned long free_tree(struct node* from) {
    unsigned long sum;
    if (from == NULL) {
        return 0;
    }
    sum = from->weight + free_tree(from->left) + free_tree(from->right);
    free(from);
    return sum;
}

int main(void) {
    unsigned long sum = 0;
    int i;
    for (i = 0; i < 400; ++i) {
        sum += free_tree(make_tree(9));
    }
    printf("%lu\n", sum);
    return 0;
}
