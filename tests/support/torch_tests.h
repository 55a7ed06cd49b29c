// The headers that tests with torch begin with, compiled once for all of their programs.
#pragma once

#include "../../app/cmake/torch_pch.h"

#include <gmock/gmock.h>
