// Torch's wheel contains Gloo but not its headers, which c10d's ProcessGroupGloo.hpp includes. This
// folder declares only the names that the header needs.
#pragma once
