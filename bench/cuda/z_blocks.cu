// SPDX-License-Identifier: BSD-3-Clause
/// \file  z kernels with other numbers of registers.
#include "cuda/z_kernels.cuh"
#include "z_blocks.hpp"

namespace seiche::bench {

namespace {

template <int N, int Blocks>
bool start(int n, int blocks, bool back, const cuda::ZArguments<double>& a, cudaStream_t stream) {
  if (n != N || blocks != Blocks) return false;
  using Tile = cuda::ZTile<double, N>;
  const auto count = static_cast<unsigned>((a.stick_count + Tile::sticks - 1) / Tile::sticks);
  const cuda::LaunchShape shape{dim3(count, static_cast<unsigned>(a.row_count)), cuda::z_warps * 32,
                                back ? Tile::scratch : Tile::shared};
  cuda::launch(back ? cuda::z_from_planes<double, N, true, Blocks> : cuda::z_to_planes<double, N, true, Blocks>, shape,
               stream, a);
  return true;
}

template <int N>
bool start(int n, int blocks, bool back, const cuda::ZArguments<double>& a, cudaStream_t stream) {
  return start<N, 1>(n, blocks, back, a, stream) || start<N, 2>(n, blocks, back, a, stream) ||
         start<N, 3>(n, blocks, back, a, stream) || start<N, 4>(n, blocks, back, a, stream);
}

}  // namespace

bool start_z(int n, int blocks, bool back, const cuda::ZArguments<double>& a, cudaStream_t stream) {
#ifdef SEICHE_CUDA_EMULATED
  return start<24>(n, blocks, back, a, stream);
#else
  return start<64>(n, blocks, back, a, stream) || start<96>(n, blocks, back, a, stream) ||
         start<128>(n, blocks, back, a, stream) || start<256>(n, blocks, back, a, stream);
#endif
}

}  // namespace seiche::bench
