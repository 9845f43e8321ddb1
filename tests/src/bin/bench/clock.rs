//! CPU time and memory of this process. CPU time, because other work on the machine makes every other clock run on.

use rustix::time::{ClockId, clock_gettime};

/// CPU nanoseconds so far.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What a call answers, and the CPU nanoseconds it took.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let start = now();
    let answer = run();
    (answer, now() - start)
}

/// The memory that this process holds, in bytes.
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells of its processes");
    let line = status.lines().find(|it| it.starts_with("VmRSS:")).expect("it has a size");
    let kilobytes: u64 = line.split_whitespace().nth(1).and_then(|it| it.parse().ok()).expect("in kB");
    kilobytes * 1024
}
