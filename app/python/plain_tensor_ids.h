#pragma once

#include "app/python/job_recorder.h"
#include "app/python/job_tensors.h"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardlens {

// A map from plain tensors to their ids in a job's recording. Two Python objects with the same
// memory, shape, strides and dtype are one tensor, because autograd makes new objects for the
// tensors that it saves.
//
// Entries of freed storages are removed from time to time. The weak references keep the addresses
// of storages from being used again until then. All functions require the GIL.
class PlainTensorIds {
 public:
  // Keeps a reference to `jobs`, which must outlive it. `wrapper` is the class of the results of
  // functional collectives, `weak` makes a weak reference to a storage.
  PlainTensorIds(JobRecorder& jobs, pybind11::object wrapper, pybind11::object weak);

  // Returns the tensor that a functional collective fills, for its wrapper; else `tensor`.
  pybind11::object inner(pybind11::handle tensor) const;
  // Returns the id of a tensor. Registers it under `name` if it is new. With `renames`, a tensor of
  // another name gets a new id. Returns 0 for a dtype that recordings do not have, and for a tensor
  // without storage, or without numbers as sizes, as a nested one.
  TensorId number(pybind11::handle tensor, const std::string& name, bool renames = false);

  // Gives every tensor a new id at its next number(), because operators that were not recorded may
  // have written to it.
  void renew() { storages_.clear(); }

  // A tensor whose memory may overlap with that of another one; with isInside, all of it does.
  struct Overlap {
    TensorId number;
    const std::string& name;  // valid until the next number()
    bool isInside;
  };
  std::vector<Overlap> overlapping(pybind11::handle tensor) const;

 private:
  using Sizes = std::vector<std::int64_t>;
  // The elements of a storage that a tensor has.
  struct Geometry {
    std::int64_t offset = 0;
    pybind11::object dtype;
    Sizes shape, strides;
    bool operator==(const Geometry& other) const;
    // The first element in the storage, and the one after the last.
    std::int64_t first() const { return offset; }
    std::int64_t end() const;
    std::int64_t count() const;
  };
  struct Known {
    Geometry geometry;
    TensorId number;
    std::string name;
  };
  struct Storage {
    pybind11::object weak;
    std::vector<Known> tensors;
  };

  struct Place {
    pybind11::object storage;
    std::uintptr_t address;
    Geometry geometry;
  };
  // Returns nullopt for a tensor without storage, or without numbers as sizes.
  std::optional<Place> placeOf(pybind11::handle tensor) const;
  TensorId add(const std::string& name, const Geometry& geometry);
  void sweep();

  static constexpr std::size_t kSweepEvery = 1000;

  JobRecorder& jobs_;
  pybind11::object wrapper_, weak_;
  pybind11::object elementName_ = attributeName("elem");
  pybind11::object storageName_ = attributeName("untyped_storage");
  pybind11::object addressName_ = attributeName("_cdata");
  pybind11::object offsetName_ = attributeName("storage_offset");
  pybind11::object shapeName_ = attributeName("shape");
  pybind11::object strideName_ = attributeName("stride");
  pybind11::object dtypeName_ = attributeName("dtype");
  std::unordered_map<std::uintptr_t, Storage> storages_;  // by address
  std::size_t sweepAt_ = kSweepEvery;
};

}  // namespace shardlens
