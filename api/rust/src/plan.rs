use crate::error::{call, filled, Owned, Result};
use crate::{ffi, Input, Module, Output};
use std::ffi::CString;
use std::ptr;

/// How a plan is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanOptions<'a> {
    /// "": cpu. Results are the same on every engine.
    pub engine: &'a str,
    /// The level of instructions of the cpu engine; "": all there are.
    pub arch: &'a str,
    /// Threads of a run; 0: one.
    pub threads: i32,
    /// Bytes that it keeps and a run takes; more: `api_plan_memory`. 0: none.
    pub memory_limit: i64,
}

/// What an engine makes of a module once. Many threads may run it at once.
pub struct Plan(pub(crate) Owned);

/// Ends runs that have it, from any thread.
pub struct Cancellation(Owned);

impl Cancellation {
    pub fn new() -> Result<Cancellation> {
        Owned::new(ffi::tally_cancellation_close, |c, e| unsafe { ffi::tally_cancellation_make(c, e) })
            .map(Cancellation)
    }
    pub fn cancel(&self) {
        unsafe { ffi::tally_cancel(self.0.handle, ptr::null_mut()) };
    }
}

/// Limits that every node compares in the same way; 0: none.
#[derive(Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// The module's gas above it: `gas_limit`.
    pub gas_limit: i64,
    /// The module's arena above it: `memory_limit`.
    pub memory_limit: i64,
    pub cancellation: Option<&'a Cancellation>,
    /// Compare each value with the references, which takes as long as they do.
    pub check: bool,
}

impl RunOptions<'_> {
    pub(crate) fn c(&self) -> ffi::RunOptions {
        ffi::RunOptions {
            size: std::mem::size_of::<ffi::RunOptions>(),
            gas_limit: self.gas_limit,
            memory_limit: self.memory_limit,
            cancellation: self.cancellation.map(|c| c.0.handle).unwrap_or_default(),
            check: self.check as i32,
            ..Default::default()
        }
    }
}

/// The text of an option, null where it is empty.
fn option(text: &str) -> Option<CString> {
    let bytes: Vec<u8> = text.bytes().take_while(|&b| b != 0).collect();
    (!bytes.is_empty()).then(|| CString::new(bytes).expect("it has no zero"))
}

impl Module {
    pub fn plan(&self, options: PlanOptions) -> Result<Plan> {
        let (engine, arch) = (option(options.engine), option(options.arch));
        let c = ffi::PlanOptions {
            size: std::mem::size_of::<ffi::PlanOptions>(),
            engine: engine.as_ref().map_or(ptr::null(), |t| t.as_ptr()),
            arch: arch.as_ref().map_or(ptr::null(), |t| t.as_ptr()),
            threads: options.threads,
            memory_limit: options.memory_limit,
            ..Default::default()
        };
        let make = |p: *mut _, e: *mut _| unsafe { ffi::tally_plan_make(self.0.handle, &c, p, e) };
        Owned::new(ffi::tally_plan_close, make).map(Plan)
    }
}

impl Plan {
    /// What the plan keeps and what a run takes besides, in bytes.
    pub fn memory(&self) -> Result<(i64, i64)> {
        let sized = ffi::PlanInfo { size: std::mem::size_of::<ffi::PlanInfo>(), ..Default::default() };
        let i = filled(sized, |i, e| unsafe { ffi::tally_plan_get_info(self.0.handle, i, e) })?;
        Ok((i.kept_bytes, i.memory_bytes))
    }

    /// One input for each parameter, one result for each result. Memory that begins at a multiple of 64 bytes, in
    /// the storage that the module says, is used in place.
    pub fn run(&self, inputs: &[Input], results: &mut [Output], options: RunOptions) -> Result<()> {
        let c = options.c();
        call(|e| unsafe {
            ffi::tally_plan_run(
                self.0.handle,
                inputs.as_ptr() as *const ffi::Tensor,
                inputs.len(),
                results.as_ptr() as *const ffi::Tensor,
                results.len(),
                &c,
                e,
            )
        })
    }
}
