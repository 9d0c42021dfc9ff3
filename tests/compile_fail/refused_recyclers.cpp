// SPDX-License-Identifier: Apache-2.0
// A type that a recycler cannot keep is refused in one sentence, which comes first. It was 128 to 320 lines of Clang, or 24 to 97
// of GCC, that began in the standard library.
// LINES: 85
#include <linn/recycler.hpp>

struct declared;
struct node;
struct shape {
    virtual void draw() = 0;
};

struct numbered { // there must be a function that makes them
    explicit numbered(int n) : number{n} {}
    int number;
};

void use([[maybe_unused]] linn::recycler<declared>& known) { // to name it is fine
#if defined(LINN_CASE_acquired_incomplete) // linn: the type of a pool must be complete where the pool is used
    static_cast<void>(known.acquire());
#elif defined(LINN_CASE_made_incomplete) // linn: the type of a pool must be complete where the pool is used
    linn::recycler<declared> all{10};
#elif defined(LINN_CASE_abstract) // linn: an abstract class has no objects of its own: take a derived class
    linn::recycler<shape> all{10};
    static_cast<void>(all.acquire());
#elif defined(LINN_CASE_abstract_options) // linn: an abstract class has no objects of its own
    linn::recycler_options<shape> options;
#elif defined(LINN_CASE_reference) // linn::recycler keeps objects: its type must not be a reference, void
    linn::recycler<int&> all{10};
#elif defined(LINN_CASE_nothing)   // linn::recycler keeps objects: its type must not be a reference, void
    linn::recycler<void> all{10};
#elif defined(LINN_CASE_constant)  // linn::recycler keeps objects: its type must not be a reference, void
    linn::recycler<const int> all{10};
#elif defined(LINN_CASE_changing)  // linn::recycler keeps objects: .* volatile
    linn::recycler<volatile int> all{10};
#elif defined(LINN_CASE_numbered)  // (no matching|constraints not satisfied)
    linn::recycler<numbered> all{100};
#endif
    linn::recycler<numbered> made{{.create = [] { return numbered{1}; }}};
    linn::recycler_options<node> options;
    static_cast<void>(options);
}

struct node {
    linn::recycler<node>* home;
};
void use_later() {
    linn::recycler<node> all{10};
    static_cast<void>(all.acquire());
}
