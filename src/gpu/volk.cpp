// SPDX-License-Identifier: Apache-2.0
// The one definition of volk's variables and functions in this library: see gpu/volk.h.
#include "gpu/volk.h"

#include <volk.c>
