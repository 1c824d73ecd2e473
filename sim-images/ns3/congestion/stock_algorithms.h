// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "congestion/catalogue.h"

namespace windtunnel
{

/** The congestion controls that ns-3 itself brings. */
std::vector<Algorithm> StockAlgorithms();

} // namespace windtunnel
