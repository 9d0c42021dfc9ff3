// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_WINDOWS_API_HPP
#define LINN_DETAIL_OS_WINDOWS_API_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstring>

// The few functions of Windows that Linn calls, declared as its own header declares them, which may come
// before or after. That header is not included: it is large, and its macros (`min`, `small`, ...) break
// the code of a program that includes us.
struct _MEMORY_BASIC_INFORMATION;
struct HINSTANCE__;

extern "C" {
#if defined(_WIN64)
using linn_windows_size = unsigned long long;
using linn_windows_function = long long(__stdcall*)();
#else
using linn_windows_size = unsigned long;
using linn_windows_function = int(__stdcall*)();
#endif
__declspec(dllimport) void* __stdcall VirtualAlloc(void*, linn_windows_size, unsigned long, unsigned long);
__declspec(dllimport) int __stdcall VirtualFree(void*, linn_windows_size, unsigned long);
__declspec(dllimport) linn_windows_size __stdcall VirtualQuery(const void*, _MEMORY_BASIC_INFORMATION*,
                                                               linn_windows_size);
__declspec(dllimport) unsigned long long __stdcall GetTickCount64();
__declspec(dllimport) unsigned long __stdcall GetCurrentThreadId();
__declspec(dllimport) void __stdcall Sleep(unsigned long);
__declspec(dllimport) void __stdcall FlushProcessWriteBuffers();
__declspec(dllimport) unsigned long __stdcall FlsAlloc(void(__stdcall*)(void*));
__declspec(dllimport) int __stdcall FlsSetValue(unsigned long, void*);
__declspec(dllimport) int __stdcall FlsFree(unsigned long);
__declspec(dllimport) HINSTANCE__* __stdcall GetModuleHandleA(const char*);
__declspec(dllimport) linn_windows_function __stdcall GetProcAddress(HINSTANCE__*, const char*);
}

namespace linn::inline LINN_ABI::detail::windows {

/// What VirtualQuery tells about an address: MEMORY_BASIC_INFORMATION.
struct region {
    void* base = nullptr;
    void* allocation_base = nullptr;
    unsigned long allocation_protect = 0;
#if defined(_WIN64)
    unsigned short partition = 0;
#endif
    std::size_t bytes = 0;
    unsigned long state = 0;
    unsigned long protect = 0;
    unsigned long type = 0;
};

inline constexpr unsigned long mem_commit = 0x1000;
inline constexpr unsigned long mem_reserve = 0x2000;
inline constexpr unsigned long mem_decommit = 0x4000;
inline constexpr unsigned long mem_release = 0x8000;
inline constexpr unsigned long page_noaccess = 0x01;
inline constexpr unsigned long page_readwrite = 0x04;
inline constexpr unsigned long page_guard = 0x100;
inline constexpr std::size_t allocation_granularity = 65536;

inline bool query(const void* p, region& out) noexcept {
    return ::VirtualQuery(p, reinterpret_cast<_MEMORY_BASIC_INFORMATION*>(&out), sizeof out) != 0;
}

/// Whether this is Wine, which has all functions of Windows, but not all of their effects.
inline bool is_wine() noexcept {
    HINSTANCE__* const library = ::GetModuleHandleA("ntdll.dll");
    return library != nullptr && ::GetProcAddress(library, "wine_get_version") != nullptr;
}

/// A function of kernelbase.dll that older systems lack, null there. Its import library is not one that every
/// program is linked with.
template <class Function>
Function* kernel_function(const char* name) noexcept {
    HINSTANCE__* const library = ::GetModuleHandleA("kernelbase.dll");
    if (library == nullptr) {
        return nullptr;
    }
    const auto found = ::GetProcAddress(library, name);
    Function* function = nullptr;
    static_assert(sizeof found == sizeof function);
    std::memcpy(&function, &found, sizeof function);
    return function;
}

} // namespace linn::inline LINN_ABI::detail::windows

#endif
