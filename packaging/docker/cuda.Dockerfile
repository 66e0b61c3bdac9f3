# SPDX-License-Identifier: GPL-2.0-or-later
# oak on NVIDIA GPUs, and on CPUs where there is none. From the top of the tree:
#   docker build -f packaging/docker/cuda.Dockerfile -t oak-cuda .
#   docker run --rm --gpus all --user "$(id -u):$(id -g)" -v "$PWD:/work" oak-cuda run sedov
# On 4 ranks: docker run --rm --gpus all --user "$(id -u):$(id -g)" -v "$PWD:/work" --entrypoint mpirun oak-cuda -n 4 oak run sedov
# With --user the files of a run belong to you. Compiled kernels are kept in .cache of the current folder.
# The driver comes from the host; it must be for CUDA 12 or later.
FROM ubuntu:24.04
# The C compiler stays in the image, because oak compiles kernels when a run starts.
RUN apt-get update && apt-get install -y --no-install-recommends \
    gcc libc6-dev make cmake pkg-config libopenmpi-dev openmpi-bin libp4est-dev libpng-dev zlib1g-dev libhdf5-dev python3-minimal git libnvrtc12 && \
    rm -rf /var/lib/apt/lists/*
COPY . /src
RUN make -C /src build BUILD=/tmp/build BUILD_TESTS=OFF && cmake --install /tmp/build --prefix /usr/local && \
    ldconfig && rm -rf /src /tmp/build && useradd oak && mkdir -m 1777 /work
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
# Containers may not read the memory of other processes, with which Open MPI copies messages.
ENV HOME=/work OMPI_MCA_btl_vader_single_copy_mechanism=none
USER oak
WORKDIR /work
ENTRYPOINT ["oak"]
CMD ["--help"]
