//! Tally in Rust: integer networks whose results are the same bytes on every machine. A thin layer over libtally,
//! whose tally.h has the contract.
//!
//! ```no_run
//! use tally::{Input, LoadOptions, Module, Output, PlanOptions, RunOptions};
//!
//! let module = Module::from_file("digits.tally", LoadOptions::default())?;
//! let plan = module.plan(PlanOptions { threads: 2, ..Default::default() })?;
//! let (image, mut scores) = ([0i8; 256], [0i16; 10]);
//! plan.run(&[Input::new(&image)], &mut [Output::new(&mut scores)], RunOptions::default())?;
//! # Ok::<(), tally::Error>(())
//! ```

mod error;
mod ffi;
mod module;
mod plan;
mod receipt;
mod tensor;

pub use error::{Error, Result};
pub use module::{Grid, Info, LoadOptions, Module, Storage, Value};
pub use plan::{Cancellation, Plan, PlanOptions, RunOptions};
pub use receipt::{check_certificate, Compared, Conviction, Evidence, Finding, Key, PublicKey, Receipt, ReceiptInfo, SignedRun};
pub use tensor::{Input, Integer, Output};

use std::ffi::CStr;
use std::fmt;

/// A SHA-256 digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{:02x}", byte))
    }
}

/// The release of libtally.
pub fn version() -> String {
    unsafe { CStr::from_ptr(ffi::tally_version()) }.to_string_lossy().into_owned()
}

/// An engine of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    pub name: String,
    /// What it is for, or why it is not available.
    pub summary: String,
    pub available: bool,
}

/// All engines, whether this machine has them or not.
pub fn engines() -> Vec<Engine> {
    let sized = ffi::EngineInfo { size: std::mem::size_of::<ffi::EngineInfo>(), ..Default::default() };
    let engine = |index| error::filled(sized, |i, e| unsafe { ffi::tally_engine(index, i, e) }).ok();
    let owned = |chars| unsafe { CStr::from_ptr(chars) }.to_string_lossy().into_owned();
    (0..)
        .map_while(engine)
        .map(|i| Engine { name: owned(i.name), summary: owned(i.summary), available: i.available == 1 })
        .collect()
}
