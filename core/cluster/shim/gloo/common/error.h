// Empty: c10d includes this header but uses nothing from it.
#pragma once
