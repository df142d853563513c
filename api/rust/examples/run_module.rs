//! A module in a Rust program: run_module MODULE.tally INPUT.npy prints what a run costs and gives. INPUT.npy has
//! bytes in the shape of the module's only parameter; its result has 16 bits.

use std::error::Error;
use tally::{Input, LoadOptions, Module, Output, PlanOptions, RunOptions};

/// The elements of a file of NumPy's format 1.0: a header whose length is at its bytes 8 and 9.
fn read_npy(path: &str) -> Result<Vec<i8>, Box<dyn Error>> {
    let file = std::fs::read(path)?;
    let header = 10 + *file.get(8).unwrap_or(&0) as usize + 256 * *file.get(9).unwrap_or(&0) as usize;
    let elements = file.get(header..).ok_or("no .npy file")?;
    Ok(elements.iter().map(|&byte| byte as i8).collect())
}

fn run_module(path: &str, image: &[i8]) -> Result<(), Box<dyn Error>> {
    let module = Module::from_file(path, LoadOptions::default())?; // a module that is valid, or an error
    let shape = module.result(0)?.shape;
    let mut scores = vec![0i16; shape.iter().product::<i64>() as usize];
    let plan = module.plan(PlanOptions::default())?; // for any number of threads at once
    let options = RunOptions { gas_limit: 20_000_000, ..Default::default() };
    plan.run(&[Input::new(image)], &mut [Output::new(&mut scores)], options)?;
    println!("{} gas, digest {}", module.info()?.gas, Input::with_shape(&scores, &shape).digest()?);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 3 {
        eprintln!("usage: run_module MODULE.tally INPUT.npy");
        std::process::exit(2);
    }
    run_module(&arguments[1], &read_npy(&arguments[2])?)
}
