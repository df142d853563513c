use crate::error::{call, filled, long_text, text, Error, Owned, Result};
use crate::{ffi, Digest, Input, Output, Plan, RunOptions};
use std::os::raw::c_char;
use std::ptr;

/// An Ed25519 key that signs receipts.
pub struct Key(Owned);

impl Key {
    /// From the random numbers of the system.
    pub fn generate() -> Result<Key> {
        Owned::new(ffi::tally_key_close, |k, e| unsafe { ffi::tally_key_generate(k, e) }).map(Key)
    }
    /// From PKCS #8 in PEM.
    pub fn from_pem(pem: &str) -> Result<Key> {
        let read = |k: *mut _, e: *mut _| unsafe {
            ffi::tally_key_from_pem(pem.as_ptr() as *const c_char, pem.len(), k, e)
        };
        Owned::new(ffi::tally_key_close, read).map(Key)
    }
    /// It is secret.
    pub fn pem(&self) -> Result<String> {
        long_text(|t, capacity, size, e| unsafe { ffi::tally_key_pem(self.0.handle, t, capacity, size, e) })
    }
    pub fn public(&self) -> Result<PublicKey> {
        let read = |k: *mut _, e: *mut _| unsafe { ffi::tally_key_public(self.0.handle, k, e) };
        Owned::new(ffi::tally_public_key_close, read).map(PublicKey)
    }
}

/// Whose receipts are trusted.
pub struct PublicKey(Owned);

impl PublicKey {
    /// From SubjectPublicKeyInfo in PEM.
    pub fn from_pem(pem: &str) -> Result<PublicKey> {
        let read = |k: *mut _, e: *mut _| unsafe {
            ffi::tally_public_key_from_pem(pem.as_ptr() as *const c_char, pem.len(), k, e)
        };
        Owned::new(ffi::tally_public_key_close, read).map(PublicKey)
    }
    pub fn pem(&self) -> Result<String> {
        long_text(|t, capacity, size, e| unsafe {
            ffi::tally_public_key_pem(self.0.handle, t, capacity, size, e)
        })
    }
}

/// A claim that a run gave what it gave, signed by who ran it.
pub struct Receipt(Owned);

/// What a receipt says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptInfo {
    pub claim: Digest,
    pub module: Digest,
    pub inputs: Digest,
    pub key: Digest,
    pub results: Option<Digest>,
    pub nonce: Option<Digest>,
    pub trace: Option<Digest>,
    pub gas: u64,
    /// Seconds since 1970.
    pub issued_at: u64,
    /// "ok", or the label of a refusal.
    pub status: String,
}

/// A word and its reason (docs/spec/receipt.md).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub holds: bool,
    pub word: String,
    pub label: String,
    pub message: String,
    pub compared: Compared,
}

/// The parts of the evidence that were compared, beside digests and signature, and are as the receipt says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    pub module: bool,
    pub inputs: bool,
    pub results: bool,
    pub trace: bool,
    pub certificate: bool,
}

/// Evidence beside the key. All that is there is compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// The request's.
    pub nonce: Option<&'a Digest>,
    /// `Module::results_digest` of those at hand.
    pub results: Option<&'a Digest>,
    /// A file that is said to convict the receipt.
    pub certificate: Option<&'a [u8]>,
    /// The digest of the expansion that the executor has sent in a dispute.
    pub expansion: Option<&'a Digest>,
}

fn find(ask: impl FnOnce(*mut ffi::Finding, *mut ffi::Error) -> i32) -> Result<Finding> {
    let sized = ffi::Finding { size: std::mem::size_of::<ffi::Finding>(), ..Default::default() };
    let f = filled(sized, ask)?;
    let has = |bit: u32| f.compared & bit != 0;
    let compared = Compared { module: has(1), inputs: has(2), results: has(4), trace: has(8), certificate: has(16) };
    Ok(Finding {
        holds: f.holds == 1,
        word: text(&f.word),
        label: text(&f.label),
        message: text(&f.message),
        compared,
    })
}

/// The address of no bytes: an empty slice may have any.
const EMPTY: [u8; 1] = [0];

fn start(bytes: &[u8]) -> *const u8 {
    if bytes.is_empty() { EMPTY.as_ptr() } else { bytes.as_ptr() }
}

fn place(digest: Option<&Digest>) -> *const u8 {
    digest.map_or(ptr::null(), |d| d.0.as_ptr())
}

/// A run that is signed: its receipt, which refusals for gas, memory or inputs have too, and how it ended.
pub struct SignedRun {
    pub receipt: Option<Receipt>,
    pub outcome: Result<()>,
}

impl Plan {
    /// `run`, and the receipt of the run. `nonce` is what the requester drew.
    pub fn run_signed(
        &self,
        inputs: &[Input],
        results: &mut [Output],
        options: RunOptions,
        key: &Key,
        nonce: Option<&Digest>,
    ) -> SignedRun {
        let says = ffi::ReceiptOptions {
            size: std::mem::size_of::<ffi::ReceiptOptions>(),
            nonce: place(nonce),
            ..Default::default()
        };
        let mut handle = ffi::Handle::default();
        let c = options.c();
        let outcome = call(|e| unsafe {
            ffi::tally_plan_run_signed(
                self.0.handle,
                inputs.as_ptr() as *const ffi::Tensor,
                inputs.len(),
                results.as_ptr() as *const ffi::Tensor,
                results.len(),
                &c,
                key.0.handle,
                &says,
                &mut handle,
                e,
            )
        });
        let receipt = (handle.handle != 0).then(|| Receipt(Owned::of(ffi::tally_receipt_close, handle)));
        SignedRun { receipt, outcome }
    }
}

impl Receipt {
    /// Reads the text of a receipt. Its signature is not looked at.
    pub fn parse(receipt: &str) -> Result<Receipt> {
        let read = |r: *mut _, e: *mut _| unsafe {
            ffi::tally_receipt_parse(receipt.as_ptr() as *const c_char, receipt.len(), r, e)
        };
        Owned::new(ffi::tally_receipt_close, read).map(Receipt)
    }

    pub fn text(&self) -> Result<String> {
        long_text(|t, capacity, size, e| unsafe { ffi::tally_receipt_text(self.0.handle, t, capacity, size, e) })
    }

    pub fn info(&self) -> Result<ReceiptInfo> {
        let sized = ffi::ReceiptInfo { size: std::mem::size_of::<ffi::ReceiptInfo>(), ..Default::default() };
        let i = filled(sized, |i, e| unsafe { ffi::tally_receipt_get_info(self.0.handle, i, e) })?;
        let where_it_is = |has: i32, digest: [u8; 32]| (has == 1).then(|| Digest(digest));
        Ok(ReceiptInfo {
            claim: Digest(i.claim),
            module: Digest(i.module),
            inputs: Digest(i.inputs),
            key: Digest(i.key),
            results: where_it_is(i.has_results, i.results),
            nonce: where_it_is(i.has_nonce, i.nonce),
            trace: where_it_is(i.has_trace, i.trace),
            gas: i.gas,
            issued_at: i.issued_at,
            status: text(&i.status),
        })
    }

    /// Whether the receipt is what it says: signature, digests, and what is at hand.
    pub fn verify(&self, key: &PublicKey, given: Evidence) -> Result<Finding> {
        let evidence = ffi::Evidence {
            size: std::mem::size_of::<ffi::Evidence>(),
            key: key.0.handle,
            nonce: place(given.nonce),
            results: place(given.results),
            expansion: place(given.expansion),
            certificate: given.certificate.map_or(ptr::null(), start),
            certificate_size: given.certificate.map_or(0, |c| c.len()),
            ..Default::default()
        };
        find(|f, e| unsafe { ffi::tally_receipt_verify(self.0.handle, &evidence, f, e) })
    }

    /// Runs the claim again, and says whether it gives the same.
    pub fn recompute(&self, plan: &Plan, inputs: &[Input], options: RunOptions) -> Result<Finding> {
        let c = options.c();
        let given = inputs.as_ptr() as *const ffi::Tensor;
        find(|f, e| unsafe {
            ffi::tally_receipt_recompute(self.0.handle, plan.0.handle, given, inputs.len(), &c, f, e)
        })
    }
}

/// What a certificate shows (docs/spec/certificate.md).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conviction {
    /// Compare these with what somebody has signed.
    pub claim: Digest,
    pub trace: Option<Digest>,
    /// Where it is there, nobody is convicted but who has answered with this expansion in a dispute: compare it
    /// too, since anybody can invent one.
    pub expansion: Option<Digest>,
    pub what: String,
}

/// Judges a certificate of fraud, of any bytes.
pub fn check_certificate(certificate: &[u8]) -> Result<Conviction> {
    let mut v = ffi::Verdict { size: std::mem::size_of::<ffi::Verdict>(), ..Default::default() };
    let status = unsafe { ffi::tally_check_certificate(start(certificate), certificate.len(), &mut v) };
    const DEPENDS: i32 = 3;
    if status != 0 && status != DEPENDS {
        return Err(Error { status, stage: "proof".to_owned(), label: text(&v.label), message: text(&v.text) });
    }
    Ok(Conviction {
        claim: Digest(v.claim),
        trace: (v.has_trace == 1).then(|| Digest(v.trace)),
        expansion: (status == DEPENDS).then(|| Digest(v.columns)),
        what: text(&v.text),
    })
}
