//! tally.h, declared. The library refuses structs that are smaller than its own, and tests read the fields.

use std::os::raw::{c_char, c_void};

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Handle {
    pub handle: u64,
}

macro_rules! structs {
    ($($name:ident { $($field:ident: $type:ty,)* })*) => {$(
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name {
            $(pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                // Numbers, handles, and pointers that may be null: all of them may be 0.
                unsafe { std::mem::zeroed() }
            }
        }
    )*};
}

structs! {
    Error { size: usize, status: i32, stage: [c_char; 12], label: [c_char; 48], message: [c_char; 440], }
    EngineInfo { size: usize, name: *const c_char, summary: *const c_char, available: i32, }
    LoadOptions {
        size: usize, max_bytes: u64, gas_limit: i64, memory_limit: i64,
        release: Option<unsafe extern "C" fn(*mut c_void)>, user: *mut c_void,
    }
    ModuleInfo {
        size: usize, params: usize, results: usize, instructions: usize, gas: i64, arena_bytes: i64,
        constant_bytes: i64, spec_version: i32, profile: [c_char; 12],
    }
    ValueInfo {
        size: usize, bytes: usize, shape: [i64; 8], rank: i32, storage: i32, lowest: i64, highest: i64,
        has_grid: i32, multiplier: i64, shift: i64, zero_point: i64, name: [c_char; 264],
    }
    Tensor {
        data: *mut c_void, bytes: usize, storage: i32, rank: i32, shape: *const i64, strides: *const i64,
        offset: usize,
    }
    PlanOptions {
        size: usize, engine: *const c_char, arch: *const c_char, threads: i32, reserved: i32, memory_limit: i64,
    }
    PlanInfo {
        size: usize, kept_bytes: i64, memory_bytes: i64, steps: usize, is_lowered: i32, engine: [c_char; 12],
    }
    RunOptions {
        size: usize, gas_limit: i64, memory_limit: i64, cancellation: Handle,
        observer: Option<unsafe extern "C" fn(*mut c_void, *const c_void)>, user: *mut c_void, show: i32, check: i32,
    }
    ReceiptOptions {
        size: usize, nonce: *const u8, origin: *const u8, issued_at: u64, trace: i32, reserved: i32,
    }
    ReceiptInfo {
        size: usize, claim: [u8; 32], module: [u8; 32], inputs: [u8; 32], results: [u8; 32], key: [u8; 32],
        nonce: [u8; 32], trace: [u8; 32], origin: [u8; 32], has_results: i32, has_nonce: i32, has_trace: i32,
        has_origin: i32, gas: u64, issued_at: u64, status: [c_char; 48],
    }
    Finding {
        size: usize, holds: i32, word: [c_char; 20], label: [c_char; 48], message: [c_char; 440], compared: u32,
    }
    Evidence {
        size: usize, key: Handle, nonce: *const u8, results: *const u8, origin: *const c_char, origin_size: usize,
        certificate: *const u8, certificate_size: usize, expansion: *const u8,
    }
    Verdict {
        size: usize, convicted: i32, has_trace: i32, has_columns: i32, claim: [u8; 32], trace: [u8; 32],
        columns: [u8; 32], label: [c_char; 48], text: [c_char; 256],
    }
}

extern "C" {
    pub fn tally_version() -> *const c_char;
    pub fn tally_engine(index: usize, info: *mut EngineInfo, error: *mut Error) -> i32;
    pub fn tally_module_load_file(path: *const c_char, options: *const LoadOptions, module: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_module_load_bytes(bytes: *const c_void, size: usize, options: *const LoadOptions, module: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_module_load_descriptor(fd: i32, options: *const LoadOptions, module: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_module_close(module: Handle) -> i32;
    pub fn tally_module_id(module: Handle, id: *mut u8, error: *mut Error) -> i32;
    pub fn tally_module_get_info(module: Handle, info: *mut ModuleInfo, error: *mut Error) -> i32;
    pub fn tally_module_param(module: Handle, index: usize, info: *mut ValueInfo, error: *mut Error) -> i32;
    pub fn tally_module_result(module: Handle, index: usize, info: *mut ValueInfo, error: *mut Error) -> i32;
    pub fn tally_tensor_digest(tensor: *const Tensor, digest: *mut u8, error: *mut Error) -> i32;
    pub fn tally_plan_make(module: Handle, options: *const PlanOptions, plan: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_plan_close(plan: Handle) -> i32;
    pub fn tally_plan_get_info(plan: Handle, info: *mut PlanInfo, error: *mut Error) -> i32;
    pub fn tally_cancellation_make(cancellation: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_cancellation_close(cancellation: Handle) -> i32;
    pub fn tally_cancel(cancellation: Handle, error: *mut Error) -> i32;
    pub fn tally_plan_run(plan: Handle, inputs: *const Tensor, num_inputs: usize, results: *const Tensor, num_results: usize, options: *const RunOptions, error: *mut Error) -> i32;
    pub fn tally_plan_run_signed(plan: Handle, inputs: *const Tensor, num_inputs: usize, results: *const Tensor, num_results: usize, options: *const RunOptions, key: Handle, receipt_options: *const ReceiptOptions, receipt: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_key_generate(key: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_key_from_pem(pem: *const c_char, size: usize, key: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_key_close(key: Handle) -> i32;
    pub fn tally_key_public(key: Handle, public_key: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_key_pem(key: Handle, text: *mut c_char, capacity: usize, size: *mut usize, error: *mut Error) -> i32;
    pub fn tally_public_key_from_pem(pem: *const c_char, size: usize, key: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_public_key_close(key: Handle) -> i32;
    pub fn tally_public_key_pem(key: Handle, text: *mut c_char, capacity: usize, size: *mut usize, error: *mut Error) -> i32;
    pub fn tally_receipt_parse(text: *const c_char, size: usize, receipt: *mut Handle, error: *mut Error) -> i32;
    pub fn tally_module_results_digest(module: Handle, results: *const Tensor, num_results: usize, digest: *mut u8, error: *mut Error) -> i32;
    pub fn tally_receipt_close(receipt: Handle) -> i32;
    pub fn tally_receipt_text(receipt: Handle, text: *mut c_char, capacity: usize, size: *mut usize, error: *mut Error) -> i32;
    pub fn tally_receipt_get_info(receipt: Handle, info: *mut ReceiptInfo, error: *mut Error) -> i32;
    pub fn tally_receipt_verify(receipt: Handle, evidence: *const Evidence, finding: *mut Finding, error: *mut Error) -> i32;
    pub fn tally_receipt_recompute(receipt: Handle, plan: Handle, inputs: *const Tensor, num_inputs: usize, options: *const RunOptions, finding: *mut Finding, error: *mut Error) -> i32;
    pub fn tally_check_certificate(bytes: *const u8, size: usize, verdict: *mut Verdict) -> i32;
}
