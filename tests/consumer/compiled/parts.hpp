// SPDX-License-Identifier: Apache-2.0
// Two files of one program: one declares the library's functions, the other one has them from the headers.
#pragma once

struct shared_object {
    int value;
};

shared_object* create_compiled(int value);
bool destroy_compiled(shared_object* object);
shared_object* create_from_headers(int value);
bool destroy_from_headers(shared_object* object);
