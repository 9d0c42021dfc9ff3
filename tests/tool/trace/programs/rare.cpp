// SPDX-License-Identifier: Apache-2.0
// Allocates 100 bytes below a function whose frame is found by rbx, as the one of the loader's lazy binding.
// It is linked with pages of 64 KiB, so that nothing is mapped between its segments.
#include <cstdlib>

namespace {

void allocate() {
    void* volatile p = std::malloc(100);
    std::free(p);
}

} // namespace

#if defined(__x86_64__)
extern "C" void by_rbx(void (*)());
asm(".text\n"
    ".type by_rbx, @function\n"
    "by_rbx:\n"
    ".cfi_startproc\n"
    "pushq %rbx\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset %rbx, -16\n"
    "movq %rsp, %rbx\n"
    ".cfi_def_cfa_register %rbx\n"
    "callq *%rdi\n"
    "popq %rbx\n"
    ".cfi_def_cfa %rsp, 8\n"
    "retq\n"
    ".cfi_endproc\n"
    ".size by_rbx, .-by_rbx\n");
#else
void by_rbx(void (*call)()) {
    call();
}
#endif

int main() {
    by_rbx(allocate);
}
