// A target needs a source file to own a precompiled header.
