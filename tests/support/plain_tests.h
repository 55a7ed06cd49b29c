// The headers that tests without torch begin with, compiled once for all of their programs.
#pragma once

#include "../../app/cmake/plain_pch.h"

#include <gmock/gmock.h>
