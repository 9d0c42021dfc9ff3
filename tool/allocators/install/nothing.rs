// SPDX-License-Identifier: Apache-2.0
// Cargo wants a target; nothing is built by it.
