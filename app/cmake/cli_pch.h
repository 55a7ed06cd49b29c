// The headers that the command line's files begin with, compiled once.
#pragma once

#include "plain_pch.h"

#include <CLI/CLI.hpp>
