// These are the names under which vkonnx-bench writes its numbers into Google Benchmark's JSON, and its report reads them again.
//
// A case is one benchmark: its name is "OPERATOR/CASE/TYPE" ("conv_transpose/dcgan_g2/f32"; a mode that changes what is timed
// adds "/cold" or "/many"), its label the kernel that ran ("conv_transpose_direct_f32"), its real_time the time of one run of
// the operator (the GPU's where it has timestamps, see context::timed_by). What Google Benchmark itself adds to names
// ("/iterations:20/manual_time") is taken off when a result is read, since calibration differs from run to run.
// A whole model's name is "model/CASE", its label the number of operators that run; its operations and bytes are not counted.
// A case that went wrong has no numbers: SkipWithError gives its sentence.
//
// All counters are plain values (no kIsRate, no kAvgThreads), and times are in seconds. Counters that are not known are left out:
// an absent one is never printed as 0.
#pragma once

namespace vkonnx::bench {

namespace counter {
inline constexpr char gflops[] = "GFLOP/s";                 // useful operations, those that land in the output, / 1e9 / s;
                                                            // of sums of products and of pools, absent for what computes little
inline constexpr char gbps[] = "GB/s";                      // algorithmic bytes / 1e9 / s
inline constexpr char flop[] = "flop";                      // useful operations of one run
inline constexpr char bytes[] = "bytes";                    // inputs, weights and outputs, each once
inline constexpr char floor_s[] = "floor_s";                // the best possible time: max(flop / peak, bytes / bandwidth). What
                                                            // is no sum of products counts bytes alone: pools share additions
inline constexpr char peak_percent[] = "peak_percent";      // 100 * floor_s / time
inline constexpr char estimated_s[] = "estimated_s";        // the estimate by which the kernel was picked
inline constexpr char dispatches[] = "dispatches";          // of one run
inline constexpr char arena_bytes[] = "arena_bytes";        // of a model: device memory of the values between its operators
inline constexpr char constant_bytes[] = "constant_bytes";  // of a model: its constants, as they are and as kernels pack them
inline constexpr char wall_s[] = "wall_s";                  // one submit and its wait, on the host's clock
inline constexpr char prepare_s[] = "prepare_s";            // host time of Device::prepare, with an empty pipeline cache
inline constexpr char bind_s[] = "bind_s";                  // host time of Device::bind
inline constexpr char record_s[] = "record_s";              // host time of recording the commands
inline constexpr char first_run_cold_s[] = "first_run_cold_s";      // prepare, bind and the first run, nothing cached
inline constexpr char first_run_cached_s[] = "first_run_cached_s";  // the same, pipelines already in the cache
inline constexpr char verified[] = "verified";                      // outputs compared with the reference before timing
inline constexpr char outputs[] = "outputs";                        // the number of all outputs
inline constexpr char samples[] = "samples";                        // each the mean of `repeats` runs in one submit
inline constexpr char repeats[] = "repeats";
inline constexpr char min_s[] = "min_s";  // the samples' spread, in seconds of one run
inline constexpr char p25_s[] = "p25_s";
inline constexpr char median_s[] = "median_s";
inline constexpr char p75_s[] = "p75_s";
inline constexpr char max_s[] = "max_s";
}  // namespace counter

// Keys of the "context" object, beside Google Benchmark's own (date, host_name, num_cpus, ...). All values are strings, as
// AddCustomContext writes them; numbers in plain decimal or exponent form, without a unit.
namespace context {
inline constexpr char version[] = "vkonnx_version";
inline constexpr char git_revision[] = "git_revision";
inline constexpr char command[] = "command";
inline constexpr char suite[] = "suite";              // "quick", "full", "networks" or the file's name
inline constexpr char device[] = "device";            // its name; what decides that a result is one of vkonnx-bench
inline constexpr char device_kind[] = "device_kind";  // "discrete gpu", ..., "cpu": a software driver, labelled so
inline constexpr char driver[] = "driver";            // name and version
inline constexpr char api_version[] = "api_version";  // "1.3.224"
inline constexpr char uuid[] = "uuid";
inline constexpr char subgroup_size[] = "subgroup_size";
inline constexpr char capabilities[] = "capabilities";  // those used, separated by ", "
inline constexpr char spirv_hash[] = "spirv_hash";
inline constexpr char validation[] = "validation";      // "on" or "off"; on makes all times unusable
inline constexpr char timed_by[] = "timed_by";          // "gpu timestamps" or "wall clock"
inline constexpr char cache_mode[] = "cache_mode";      // "hot" or "cold"
inline constexpr char cpu[] = "cpu";                    // the host processor's name
inline constexpr char empty_pair_s[] = "empty_pair_s";  // two timestamps with nothing between them; taken off every time
// Peaks in 1e9 a second, from the probes before and after the cases. Google Benchmark prints the context first, so a reporter
// that holds it back until the end is needed for "after"; it may be missing. f16 only where the device computes it.
inline constexpr char peak_f32_before[] = "peak_gflops_f32_before";
inline constexpr char peak_f32_after[] = "peak_gflops_f32_after";
inline constexpr char peak_f16_before[] = "peak_gflops_f16_before";
inline constexpr char peak_f16_after[] = "peak_gflops_f16_after";
inline constexpr char peak_copy_before[] = "peak_gbps_before";  // read and written bytes both count
inline constexpr char peak_copy_after[] = "peak_gbps_after";
inline constexpr char drift_percent[] = "drift_percent";  // the greater of both peaks' changes from before to after
inline constexpr char verify_seed[] = "verify_seed";      // of the samples of outputs that were compared
// "case:conv_transpose/ct03/f32" holds the case's line with its reason: "x=64x128x16x16 w=... # DCGAN G4".
inline constexpr char case_prefix[] = "case:";
}  // namespace context

}  // namespace vkonnx::bench
