// SPDX-License-Identifier: Apache-2.0
// This file has the library's only definition of volk's variables and functions: see gpu/volk.h.
#include "gpu/volk.h"

#include <volk.c>
