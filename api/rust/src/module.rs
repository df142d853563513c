use crate::error::{call, filled, text, Owned, Result};
use crate::{ffi, Digest, Input};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::io::AsRawFd;
use std::path::Path;

/// Limits of what a module may be; 0: none.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// Bytes of the file; more: `file_size`.
    pub max_bytes: u64,
    /// Gas of a run; more: `gas_limit`.
    pub gas_limit: i64,
    /// Bytes of the arena of a run; more: `memory_limit`.
    pub memory_limit: i64,
}

impl LoadOptions {
    fn c(&self) -> ffi::LoadOptions {
        ffi::LoadOptions {
            size: std::mem::size_of::<ffi::LoadOptions>(),
            max_bytes: self.max_bytes,
            gas_limit: self.gas_limit,
            memory_limit: self.memory_limit,
            ..Default::default()
        }
    }
}

/// A module that has been validated. Plans keep it.
pub struct Module(pub(crate) Owned);

/// What validation proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    pub params: usize,
    pub results: usize,
    pub instructions: usize,
    pub gas: i64,
    pub arena_bytes: i64,
    pub constant_bytes: i64,
    pub spec_version: i32,
    pub profile: String,
}

/// Which reals integers are: (integer - zero_point) * multiplier * 2^-shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub multiplier: i64,
    pub shift: i64,
    pub zero_point: i64,
}

/// How elements are stored: signed integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    I8 = 0,
    I16 = 1,
    I32 = 2,
    I64 = 3,
}

/// A parameter or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub name: String,
    pub shape: Vec<i64>,
    /// The narrowest that holds the interval.
    pub storage: Storage,
    pub lowest: i64,
    pub highest: i64,
    pub grid: Option<Grid>,
}

impl Module {
    fn new(load: impl FnOnce(*mut ffi::Handle, *mut ffi::Error) -> i32) -> Result<Module> {
        Owned::new(ffi::tally_module_close, load).map(Module)
    }

    /// Maps the file: whoever can write to it changes the module.
    pub fn from_file(path: impl AsRef<Path>, options: LoadOptions) -> Result<Module> {
        // A path with a zero names no file: C's ends there.
        let bytes: Vec<u8> = path.as_ref().as_os_str().as_bytes().iter().copied().take_while(|&b| b != 0).collect();
        let path = CString::new(bytes).expect("it has no zero");
        Self::new(|m, e| unsafe { ffi::tally_module_load_file(path.as_ptr(), &options.c(), m, e) })
    }

    /// Maps an open file, which may be closed then.
    pub fn from_open_file(file: &impl AsRawFd, options: LoadOptions) -> Result<Module> {
        Self::new(|m, e| unsafe { ffi::tally_module_load_descriptor(file.as_raw_fd(), &options.c(), m, e) })
    }

    /// Copies the bytes.
    pub fn from_bytes(bytes: &[u8], options: LoadOptions) -> Result<Module> {
        Self::new(|m, e| unsafe {
            ffi::tally_module_load_bytes(bytes.as_ptr() as *const _, bytes.len(), &options.c(), m, e)
        })
    }

    /// What claims name the module by. The first call reads all constants.
    pub fn id(&self) -> Result<Digest> {
        let mut id = Digest::default();
        call(|e| unsafe { ffi::tally_module_id(self.0.handle, id.0.as_mut_ptr(), e) })?;
        Ok(id)
    }

    /// The digest of results at hand, as claims have it.
    pub fn results_digest(&self, results: &[Input]) -> Result<Digest> {
        let mut digest = Digest::default();
        let given = results.as_ptr() as *const ffi::Tensor;
        call(|e| unsafe {
            ffi::tally_module_results_digest(self.0.handle, given, results.len(), digest.0.as_mut_ptr(), e)
        })?;
        Ok(digest)
    }

    pub fn info(&self) -> Result<Info> {
        let sized = ffi::ModuleInfo { size: std::mem::size_of::<ffi::ModuleInfo>(), ..Default::default() };
        let i = filled(sized, |i, e| unsafe { ffi::tally_module_get_info(self.0.handle, i, e) })?;
        Ok(Info {
            params: i.params,
            results: i.results,
            instructions: i.instructions,
            gas: i.gas,
            arena_bytes: i.arena_bytes,
            constant_bytes: i.constant_bytes,
            spec_version: i.spec_version,
            profile: text(&i.profile),
        })
    }

    pub fn param(&self, index: usize) -> Result<Value> {
        value(|i, e| unsafe { ffi::tally_module_param(self.0.handle, index, i, e) })
    }

    pub fn result(&self, index: usize) -> Result<Value> {
        value(|i, e| unsafe { ffi::tally_module_result(self.0.handle, index, i, e) })
    }
}

fn value(get: impl FnOnce(*mut ffi::ValueInfo, *mut ffi::Error) -> i32) -> Result<Value> {
    let sized = ffi::ValueInfo { size: std::mem::size_of::<ffi::ValueInfo>(), ..Default::default() };
    let i = filled(sized, get)?;
    Ok(Value {
        name: text(&i.name),
        shape: i.shape[..i.rank as usize].to_vec(),
        storage: [Storage::I8, Storage::I16, Storage::I32, Storage::I64][i.storage as usize],
        lowest: i.lowest,
        highest: i.highest,
        grid: (i.has_grid == 1).then(|| Grid { multiplier: i.multiplier, shift: i.shift, zero_point: i.zero_point }),
    })
}
