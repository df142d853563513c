//! The crate on modules of the folder that TALLY_TEST_MODULES names: negative.tally, y = -x of 2 x 3 elements in
//! [-100, 100], and long.tally, which takes minutes. //examples/embed:embed_test makes them.

use std::path::PathBuf;
use std::time::Duration;
use tally::*;

/// Tests that need a module return where there is none, and say so.
fn path(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("TALLY_TEST_MODULES");
    if folder.is_none() {
        eprintln!("skipped: TALLY_TEST_MODULES names no folder with {name}");
    }
    folder.map(|f| PathBuf::from(f).join(name))
}

macro_rules! module {
    ($name:expr) => {
        match path($name) {
            Some(path) => Module::from_file(path, LoadOptions::default()).unwrap(),
            None => return,
        }
    };
}

fn label<T>(result: Result<T>) -> String {
    result.err().map_or(String::new(), |e| e.label)
}

#[test]
fn modules_say_what_is_proven() {
    let module = module!("negative.tally");
    let info = module.info().unwrap();
    assert_eq!((info.params, info.results, info.profile.as_str()), (1, 1, "core"));
    let x = module.param(0).unwrap();
    assert_eq!((x.name.as_str(), x.shape.as_slice(), x.storage), ("x", &[2, 3][..], Storage::I8));
    assert_eq!((x.lowest, x.highest), (-100, 100));
    assert_eq!(x.grid, Some(Grid { multiplier: 3, shift: 4, zero_point: -2 }));
    assert_eq!(label(module.result(1)), "api_index");
}

#[test]
fn modules_come_from_bytes_and_open_files() {
    let id = module!("negative.tally").id().unwrap();
    let path = path("negative.tally").unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(Module::from_bytes(&bytes, LoadOptions::default()).unwrap().id().unwrap(), id);
    let file = std::fs::File::open(&path).unwrap();
    let module = Module::from_open_file(&file, LoadOptions::default()).unwrap();
    drop(file);
    assert_eq!(module.id().unwrap(), id);
    assert_eq!(label(Module::from_bytes(&bytes, LoadOptions { gas_limit: 1, ..Default::default() })), "gas_limit");
    assert_ne!(label(Module::from_bytes(&[], LoadOptions::default())), "");
    assert_eq!(label(Module::from_file("/nowhere", LoadOptions::default())), "file_open");
}

#[test]
fn runs_write_into_slices() {
    let plan = module!("negative.tally").plan(PlanOptions::default()).unwrap();
    let x = [1i8, 2, 3, 4, 5, 6];
    let mut y = [0i32; 6];
    plan.run(&[Input::new(&x)], &mut [Output::new(&mut y)], RunOptions::default()).unwrap();
    assert_eq!(y, [-1, -2, -3, -4, -5, -6]);
    let turned = Input::with_shape(&x, &[3, 2]);
    assert_eq!(label(plan.run(&[turned], &mut [Output::new(&mut y)], RunOptions::default())), "input_shape");
    assert_eq!(label(plan.run(&[], &mut [Output::new(&mut y)], RunOptions::default())), "input_count");
    let short = &mut [Output::new(&mut y[..5])];
    assert_eq!(label(plan.run(&[Input::new(&x)], short, RunOptions::default())), "api_tensor");
    let limited = RunOptions { gas_limit: 1, ..Default::default() };
    assert_eq!(label(plan.run(&[Input::new(&x)], &mut [Output::new(&mut y)], limited)), "gas_limit");
    let (kept, run) = plan.memory().unwrap();
    assert!(kept >= 0 && run >= 0);
}

#[test]
fn many_threads_run_one_plan() {
    let plan = module!("negative.tally").plan(PlanOptions { threads: 2, ..Default::default() }).unwrap();
    std::thread::scope(|scope| {
        for t in 0..8i8 {
            let plan = &plan;
            scope.spawn(move || {
                for _ in 0..100 {
                    let mut y = [0i8; 6];
                    plan.run(&[Input::new(&[t; 6])], &mut [Output::new(&mut y)], RunOptions::default()).unwrap();
                    assert_eq!(y, [-t; 6]);
                }
            });
        }
    });
}

#[test]
fn cancellations_end_runs() {
    let plan = module!("long.tally").plan(PlanOptions::default()).unwrap();
    let cancellation = Cancellation::new().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            cancellation.cancel();
        });
        let options = RunOptions { cancellation: Some(&cancellation), ..Default::default() };
        let mut y = [0i8];
        assert_eq!(label(plan.run(&[Input::new(&[1i8])], &mut [Output::new(&mut y)], options)), "cancelled");
    });
}

#[test]
fn receipts_are_signed_and_verified() {
    let module = module!("negative.tally");
    let plan = module.plan(PlanOptions::default()).unwrap();
    let key = Key::generate().unwrap();
    let public = PublicKey::from_pem(&key.public().unwrap().pem().unwrap()).unwrap();
    let key = Key::from_pem(&key.pem().unwrap()).unwrap();
    let x = [1i8, 2, 3, 4, 5, 6];
    let mut y = [0i8; 6];
    let nonce = Digest([7; 32]);
    let run =
        plan.run_signed(&[Input::new(&x)], &mut [Output::new(&mut y)], RunOptions::default(), &key, Some(&nonce));
    run.outcome.unwrap();
    assert_eq!(y[5], -6);
    let receipt = Receipt::parse(&run.receipt.unwrap().text().unwrap()).unwrap();
    let other = Digest([8; 32]);
    let with = |evidence| receipt.verify(&public, evidence).unwrap();
    assert!(with(Evidence { nonce: Some(&nonce), ..Default::default() }).holds);
    assert_eq!(with(Evidence { nonce: Some(&other), ..Default::default() }).label, "receipt_nonce");
    let results = module.results_digest(&[Input::new(&y)]).unwrap();
    assert!(with(Evidence { results: Some(&results), ..Default::default() }).compared.results);
    assert_eq!(with(Evidence { results: Some(&other), ..Default::default() }).label, "receipt_results");
    let accused = with(Evidence { certificate: Some(b"none"), ..Default::default() });
    assert!(accused.holds && accused.compared.certificate && !accused.message.is_empty());
    assert_eq!(receipt.recompute(&plan, &[Input::new(&x)], RunOptions::default()).unwrap().word, "REPRODUCED");
    let info = receipt.info().unwrap();
    assert_eq!((info.status.as_str(), info.nonce, info.trace), ("ok", Some(nonce), None));
    let refused =
        plan.run_signed(&[Input::new(&[101i8; 6])], &mut [Output::new(&mut y)], RunOptions::default(), &key, None);
    assert_eq!(label(refused.outcome), "input_interval");
    assert!(refused.receipt.is_some());
    assert_eq!(label(Key::from_pem("none")), "key_format");
}

#[test]
fn the_library_is_there() {
    assert!(!version().is_empty());
    assert_eq!(engines().iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["formal", "reference", "cpu", "cuda"]);
    assert_ne!(label(check_certificate(b"none")), "");
    assert_ne!(label(check_certificate(&[])), "");
}
