// Torch's wheel has Gloo in it but not Gloo's headers, which c10d's header of it includes. It needs
// only the few names that are declared here and in the headers beside this one.
#pragma once
