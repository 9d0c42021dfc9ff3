// SPDX-License-Identifier: Apache-2.0
double* make() {
    return new double[128](); // finds 1024, note
}
