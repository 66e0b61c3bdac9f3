/* SPDX-License-Identifier: GPL-2.0-or-later
 * HIP's names of functions that HIP and CUDA both have. The stand-ins are written with CUDA's
 * names.
 */
#ifndef OAK_FAKE_HIP_NAMES_H
#define OAK_FAKE_HIP_NAMES_H

#define cuInit hipInit
#define cuDriverGetVersion hipDriverGetVersion
#define cuDeviceGetCount hipGetDeviceCount
#define cuDeviceGet hipDeviceGet
#define cuDeviceGetName hipDeviceGetName
#define cuDeviceGetAttribute hipDeviceGetAttribute
#define cuDeviceTotalMem_v2 hipDeviceTotalMem
#define cuMemGetInfo_v2 hipMemGetInfo
#define cuMemAlloc_v2 hipMalloc
#define cuMemFree_v2 hipFree
#define cuMemcpyHtoDAsync_v2 hipMemcpyHtoDAsync
#define cuMemcpyDtoHAsync_v2 hipMemcpyDtoHAsync
#define cuMemcpyDtoDAsync_v2 hipMemcpyDtoDAsync
#define cuModuleLoadData hipModuleLoadData
#define cuModuleUnload hipModuleUnload
#define cuModuleGetFunction hipModuleGetFunction
#define cuModuleGetGlobal_v2 hipModuleGetGlobal
#define cuFuncGetAttribute hipFuncGetAttribute
#define cuStreamCreate hipStreamCreateWithFlags
#define cuStreamDestroy_v2 hipStreamDestroy
#define cuStreamSynchronize hipStreamSynchronize
#define cuStreamQuery hipStreamQuery
#define cuCtxSynchronize hipDeviceSynchronize
#define cuOccupancyMaxActiveBlocksPerMultiprocessor \
  hipModuleOccupancyMaxActiveBlocksPerMultiprocessor
#define cuStreamBeginCapture_v2 hipStreamBeginCapture
#define cuStreamEndCapture hipStreamEndCapture
#define cuGraphInstantiateWithFlags hipGraphInstantiateWithFlags
#define cuGraphLaunch hipGraphLaunch
#define cuGraphDestroy hipGraphDestroy
#define cuGraphExecDestroy hipGraphExecDestroy
#define cuEventCreate hipEventCreateWithFlags
#define cuEventDestroy_v2 hipEventDestroy
#define cuEventRecord hipEventRecord
#define cuEventQuery hipEventQuery
#define cuEventSynchronize hipEventSynchronize
#define cuEventElapsedTime hipEventElapsedTime
#define cuStreamWaitEvent hipStreamWaitEvent
#define cuStreamWriteValue64_v2 hipStreamWriteValue64
#define cuIpcGetMemHandle hipIpcGetMemHandle
#define cuIpcOpenMemHandle_v2 hipIpcOpenMemHandle
#define cuIpcCloseMemHandle hipIpcCloseMemHandle
#define cuMemHostRegister_v2 hipHostRegister
#define cuMemHostUnregister hipHostUnregister
#define cuMemHostGetDevicePointer_v2 hipHostGetDevicePointer
#define cuMemAllocHost_v2 hipMallocHost
#define cuMemFreeHost hipHostFree
#define nvrtcVersion hiprtcVersion
#define nvrtcCreateProgram hiprtcCreateProgram
#define nvrtcCompileProgram hiprtcCompileProgram
#define nvrtcGetProgramLogSize hiprtcGetProgramLogSize
#define nvrtcGetProgramLog hiprtcGetProgramLog
#define nvrtcGetCUBINSize hiprtcGetCodeSize
#define nvrtcGetCUBIN hiprtcGetCode
#define nvrtcDestroyProgram hiprtcDestroyProgram

#endif
