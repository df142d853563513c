use crate::ffi;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;

/// A refusal. Its label identifies it and never changes (docs/spec/errors.md).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A status code of gRPC.
    pub status: i32,
    /// Whose fault: malformed, invalid, refused, proof, file, request or fault.
    pub stage: String,
    pub label: String,
    /// The values at fault, for people.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.label, self.message)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// The text in an array of C, which ends with a zero.
pub(crate) fn text(chars: &[c_char]) -> String {
    unsafe { CStr::from_ptr(chars.as_ptr()) }.to_string_lossy().into_owned()
}

/// Calls a function of tally.h with a place for its error.
pub(crate) fn call(function: impl FnOnce(*mut ffi::Error) -> i32) -> Result<()> {
    let mut e = ffi::Error { size: std::mem::size_of::<ffi::Error>(), ..Default::default() };
    if function(&mut e) == 0 {
        return Ok(());
    }
    Err(Error { status: e.status, stage: text(&e.stage), label: text(&e.label), message: text(&e.message) })
}

/// A struct that a function fills in.
pub(crate) fn filled<T>(mut value: T, function: impl FnOnce(*mut T, *mut ffi::Error) -> i32) -> Result<T> {
    call(|e| function(&mut value, e))?;
    Ok(value)
}

/// A text of at most 64 KiB.
pub(crate) fn long_text(
    function: impl FnOnce(*mut c_char, usize, *mut usize, *mut ffi::Error) -> i32,
) -> Result<String> {
    let mut buffer = vec![0u8; 1 << 16];
    let mut size = 0;
    call(|e| function(buffer.as_mut_ptr() as *mut c_char, buffer.len(), &mut size, e))?;
    buffer.truncate(size);
    Ok(String::from_utf8_lossy(&buffer).into_owned())
}

/// A handle that is closed once.
pub(crate) struct Owned {
    pub handle: ffi::Handle,
    close: unsafe extern "C" fn(ffi::Handle) -> i32,
}

impl Owned {
    pub fn new(
        close: unsafe extern "C" fn(ffi::Handle) -> i32,
        make: impl FnOnce(*mut ffi::Handle, *mut ffi::Error) -> i32,
    ) -> Result<Owned> {
        let handle = filled(ffi::Handle::default(), make)?;
        Ok(Owned { handle, close })
    }
    pub fn of(close: unsafe extern "C" fn(ffi::Handle) -> i32, handle: ffi::Handle) -> Owned {
        Owned { handle, close }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        unsafe { (self.close)(self.handle) };
    }
}
