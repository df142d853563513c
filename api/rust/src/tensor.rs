use crate::error::{call, Result};
use crate::{ffi, Digest, Storage};
use std::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// An element of a tensor.
pub trait Integer: Copy + sealed::Sealed {
    const STORAGE: Storage;
}

macro_rules! integers {
    ($($type:ty => $storage:ident),*) => {$(
        impl sealed::Sealed for $type {}
        impl Integer for $type {
            const STORAGE: Storage = Storage::$storage;
        }
    )*};
}
integers!(i8 => I8, i16 => I16, i32 => I32, i64 => I64);

fn dense<T: Integer>(data: *const T, length: usize) -> ffi::Tensor {
    ffi::Tensor {
        data: data as *mut _,
        bytes: length * std::mem::size_of::<T>(),
        storage: T::STORAGE as i32,
        ..Default::default()
    }
}

/// A dense row-major tensor that a run reads where it is.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Input<'a>(pub(crate) ffi::Tensor, PhantomData<&'a [i8]>);

impl<'a> Input<'a> {
    /// In the shape of its parameter.
    pub fn new<T: Integer>(elements: &'a [T]) -> Self {
        Input(dense(elements.as_ptr(), elements.len()), PhantomData)
    }
    pub fn with_shape<T: Integer>(elements: &'a [T], shape: &'a [i64]) -> Self {
        let mut input = Self::new(elements);
        input.0.rank = shape.len() as i32;
        input.0.shape = shape.as_ptr();
        input
    }
    /// The digest of a value of a run, which `tally run` prints. The tensor has a shape, and the storage that
    /// the module says.
    pub fn digest(&self) -> Result<Digest> {
        let mut digest = Digest::default();
        call(|e| unsafe { ffi::tally_tensor_digest(&self.0, digest.0.as_mut_ptr(), e) })?;
        Ok(digest)
    }
}

/// The same that a run writes.
#[repr(transparent)]
pub struct Output<'a>(pub(crate) ffi::Tensor, PhantomData<&'a mut [i8]>);

impl<'a> Output<'a> {
    /// In the shape of its result.
    pub fn new<T: Integer>(elements: &'a mut [T]) -> Self {
        Output(dense(elements.as_mut_ptr(), elements.len()), PhantomData)
    }
}
